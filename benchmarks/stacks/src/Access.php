<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

use Symfony\Component\Process\Process;

/**
 * Which users may read the memory of a worker: the kernel's check is that of ptrace(2).
 */
final readonly class Access
{
    private const AS_WORKER = ['setpriv', '--reuid=www-data', '--regid=www-data', '--clear-groups'];

    private const WITHOUT_PTRACE = ['setpriv', '--bounding-set=-sys_ptrace'];

    public function __construct(private string $directory) {}

    /** @return array<string, bool> */
    public function of(int $worker): array
    {
        return [
            'root' => $this->isReadable([], $worker),
            'root without CAP_SYS_PTRACE' => $this->isReadable(self::WITHOUT_PTRACE, $worker),
            'user of the pool' => $this->isReadable(self::AS_WORKER, $worker),
        ];
    }

    /** @return array<string, bool> */
    public function ofDumpable(): array
    {
        $pool = Pool::start($this->directory, 'process.dumpable = yes');

        try {
            return ['user of the pool, process.dumpable = yes' => $this->isReadable(self::AS_WORKER, $pool->worker())];
        } finally {
            $pool->stop();
        }
    }

    /** @param list<string> $as */
    private function isReadable(array $as, int $worker): bool
    {
        $code = "exit(@fopen('/proc/{$worker}/mem', 'rb') === false ? 1 : 0);";

        return (new Process([...$as, PHP_BINARY, '-n', '-r', $code]))->run() === 0;
    }
}
