// Titles of controls whose texts are public: works of the United States' government, law of the Union.
// The others (SOC 2, ISO/IEC 27001, PCI DSS) are licensed: their ids stand for themselves.

/** NIST SP 800-53 Revision 5; FedRAMP uses the same ids and titles. */
const nist: Record<string, string> = {
  'AC-2': 'Account Management',
  'AC-3': 'Access Enforcement',
  'AC-4': 'Information Flow Enforcement',
  'AC-5': 'Separation of Duties',
  'AC-6': 'Least Privilege',
  'AU-2': 'Event Logging',
  'AU-3': 'Content of Audit Records',
  'AU-9': 'Protection of Audit Information',
  'AU-10': 'Non-repudiation',
  'AU-11': 'Audit Record Retention',
  'AU-12': 'Audit Record Generation',
  'CA-3': 'Information Exchange',
  'CM-2': 'Baseline Configuration',
  'CM-3': 'Configuration Change Control',
  'CM-5': 'Access Restrictions for Change',
  'CM-7': 'Least Functionality',
  'CM-8': 'System Component Inventory',
  'CM-11': 'User-installed Software',
  'CM-14': 'Signed Components',
  'IA-2': 'Identification and Authentication (Organizational Users)',
  'IA-3': 'Device Identification and Authentication',
  'IA-5': 'Authenticator Management',
  'IA-9': 'Service Identification and Authentication',
  'IR-4': 'Incident Handling',
  'RA-5': 'Vulnerability Monitoring and Scanning',
  'SC-5': 'Denial-of-service Protection',
  'SC-6': 'Resource Availability',
  'SC-7': 'Boundary Protection',
  'SC-8': 'Transmission Confidentiality and Integrity',
  'SC-12': 'Cryptographic Key Establishment and Management',
  'SC-28': 'Protection of Information at Rest',
  'SC-39': 'Process Isolation',
  'SI-2': 'Flaw Remediation',
  'SI-7': 'Software, Firmware, and Information Integrity',
  'SI-10': 'Information Input Validation',
  'SR-4': 'Provenance',
};

/** Regulation (EU) 2024/1689, by article. */
const euAi: Record<string, string> = {
  '12': 'Record-keeping',
  '14': 'Human oversight',
  '15': 'Accuracy, robustness and cybersecurity',
  '19': 'Automatically generated logs',
  '26': 'Obligations of deployers of high-risk AI systems',
};

/** 45 CFR Part 164 Subpart C. */
const hipaa: Record<string, string> = {
  '164.308(a)(4)': 'Information access management',
  '164.312(a)(1)': 'Access control',
  '164.312(a)(2)(iv)': 'Encryption and decryption',
  '164.312(b)': 'Audit controls',
  '164.312(c)(1)': 'Integrity',
  '164.312(d)': 'Person or entity authentication',
  '164.312(e)(1)': 'Transmission security',
};

const titles: Record<string, Record<string, string>> = {
  NIST: nist,
  FEDRAMP: nist,
  EUAI: euAi,
  HIPAA: hipaa,
};

/** The title of `<framework>:<id>`; undefined where its text is licensed or it is not known. */
export function titleOf(control: string): string | undefined {
  const at = control.indexOf(':');
  const framework = control.slice(0, at);
  const of = Object.hasOwn(titles, framework) ? titles[framework] : undefined;
  const id = control.slice(at + 1);
  return of !== undefined && Object.hasOwn(of, id) ? of[id] : undefined;
}
