<?php

declare(strict_types=1);

namespace Headroom\Bench\Servers;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Stoppable;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Headroom\Process\UnixUser;

/**
 * A beanstalkd as Debian ships it: without a binlog, so jobs are in memory only, with at most 65,535 bytes each.
 *
 * @internal
 */
final class BeanstalkdServer implements Stoppable
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
        $program = Programs::required('beanstalkd', 'beanstalkd');
        $account = UnixUser::firstOf('beanstalkd');
        $directory = ServerProcess::directory('beanstalkd', $account);
        $launch = static fn (int $port): ProcessOptions => new ProcessOptions(
            'beanstalkd',
            [$program, '-l', '127.0.0.1', '-p', (string) $port],
            $directory->file('log'),
            account: $account,
        );
        $instance = ServerProcess::start(
            $directory,
            $clock,
            $launch,
            static fn (int $port, int $pid): bool => ReadinessProbe::line($port, 'stats', "\npid: {$pid}\n"),
        );

        return new self($instance, $instance->port, $instance->pid);
    }

    public function stop(): void
    {
        $this->instance->stop();
    }
}
