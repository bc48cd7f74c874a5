<?php

declare(strict_types=1);

namespace Headroom\Host\Servers;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Account;
use Headroom\Host\Launch;
use Headroom\Host\Programs;
use Headroom\Host\Stoppable;
use Headroom\Host\UnableToFind;
use Headroom\Host\UnableToStart;

/**
 * As Debian ships it: without a binlog, so that jobs are in memory only, of at most 65,535 bytes each.
 *
 * @internal
 */
final class BeanstalkdServer implements Stoppable
{
    private function __construct(private readonly Instance $instance, public readonly int $port, public readonly int $pid) {}

    /**
     * @throws UnableToFind
     * @throws UnableToStart
     */
    public static function start(Clock $clock = new SystemClock): self
    {
        $program = Programs::required('beanstalkd', 'beanstalkd');
        $account = Account::firstOf('beanstalkd');
        $directory = Instance::directory('beanstalkd', $account);
        $launch = static fn (int $port): Launch => new Launch('beanstalkd', [$program, '-l', '127.0.0.1', '-p', (string) $port], $directory->file('log'), account: $account);
        $instance = Instance::start($directory, $clock, $launch, static fn (int $port, int $pid): bool => Question::line($port, 'stats', "\npid: {$pid}\n"));

        return new self($instance, $instance->port, $instance->pid);
    }

    public function stop(): void
    {
        $this->instance->stop();
    }
}
