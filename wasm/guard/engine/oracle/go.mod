module guardoracle

go 1.24
