<?php

declare(strict_types=1);

namespace Headroom\Host\Servers;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Account;
use Headroom\Host\Launch;
use Headroom\Host\Programs;
use Headroom\Host\Signal;
use Headroom\Host\Stoppable;
use Headroom\Host\UnableToFind;
use Headroom\Host\UnableToStart;

/**
 * As its makers and Debian ship it: snapshots now and then, no appendonly file.
 *
 * @internal
 */
final class RedisServer implements Stoppable
{
    private function __construct(private readonly Instance $instance, public readonly int $port, public readonly int $pid) {}

    /**
     * @throws UnableToFind
     * @throws UnableToStart
     */
    public static function start(Clock $clock = new SystemClock): self
    {
        $program = Programs::redis();
        $account = Account::firstOf('redis', 'valkey');
        $directory = Instance::directory('redis', $account);
        $log = $directory->file('log');
        // Asked politely it would first write all its data to a disk where nobody will read them.
        $launch = static fn (int $port): Launch => new Launch('Redis', [$program, '--bind', '127.0.0.1', '--port', (string) $port, '--dir', $directory->work, '--daemonize', 'no'], $log, farewell: [Signal::Kill], account: $account);
        $instance = Instance::start($directory, $clock, $launch, static fn (int $port, int $pid): bool => Question::line($port, 'INFO server', "process_id:{$pid}\r\n"));

        return new self($instance, $instance->port, $instance->pid);
    }

    public function stop(): void
    {
        $this->instance->stop();
    }
}
