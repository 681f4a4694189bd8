// Keeps a secret, gets it as a parameter, and calls a tool with a key that it never sees.
// The tool it calls, `desk_echo`, is one that a plain `platform up` lacks: docs/operator.md says how to register
// a tool, vault.test.ts beside this does it (prefix `desk`, tool `echo`, credential `desk-key`), and
// `platform secrets put desk-key --tenant acme` keeps the key. Without it the last line says that it is unknown.
import {
  CredentialError,
  GatewayClient,
  platformAgent,
  secret,
  vault,
} from '../../sdk/typescript/index.ts';

/** The password is read at each call; whoever calls this neither has it nor sees it. */
const logIn = secret('db-password', (password, user: string) => {
  return `${user} logged in with a password of ${password.length} characters`;
});

const work = platformAgent(
  { name: 'vault-user', tenant: 'acme', resources: ['desk'] },
  async () => {
    const { version } = await vault.put('db-password', 'correct horse battery');
    console.log(`kept version ${version}`);
    console.log(await logIn('ann'));
    console.log(`mine: ${(await vault.list()).join(', ')}`);
    try {
      await vault.get('password-of-somebody-else');
    } catch (error) {
      if (!(error instanceof CredentialError)) throw error;
      console.log(`refused: ${error.code}`);
    }
    const gateway = new GatewayClient();
    const { result, error } = await gateway.callTool('desk_echo');
    console.log(`the tool saw ${JSON.stringify(result ?? error?.message)}`);
  },
);

await work();
