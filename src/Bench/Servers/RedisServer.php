<?php

declare(strict_types=1);

namespace Headroom\Bench\Servers;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\Stoppable;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Headroom\Process\UnixUser;

/**
 * A Redis as Debian ships it: occasional snapshots, no append-only file.
 *
 * @internal
 */
final class RedisServer implements Stoppable
{
    private function __construct(
        private readonly ServerProcess $instance,
        public readonly int $port,
        public readonly int $pid,
    ) {}

    /**
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public static function start(Clock $clock = new SystemClock): self
    {
        $program = Programs::redis();
        $account = UnixUser::firstOf('redis', 'valkey');
        $directory = ServerProcess::directory('redis', $account);
        $log = $directory->file('log');
        // On SIGTERM Redis would first save its data to disk, and nothing reads that.
        $launch = static fn (int $port): ProcessOptions => new ProcessOptions(
            'Redis',
            [$program, '--bind', '127.0.0.1', '--port', (string) $port, '--dir', $directory->work, '--daemonize', 'no'],
            $log,
            stopSignals: [Signal::Kill],
            account: $account,
        );
        $instance = ServerProcess::start(
            $directory,
            $clock,
            $launch,
            static fn (int $port, int $pid): bool
                => ReadinessProbe::line($port, 'INFO server', "process_id:{$pid}\r\n"),
        );

        return new self($instance, $instance->port, $instance->pid);
    }

    public function stop(): void
    {
        $this->instance->stop();
    }
}
