<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Tests\Support\Printed;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Process;

/**
 * A network namespace with nothing in it but loopback: counters that begin at 0, and settings of its own.
 */
final readonly class OwnNetwork
{
    private function __construct(private Process $holder) {}

    public static function create(): self
    {
        $holder = new Process(['unshare', '-n', 'sh', '-c', 'ip link set lo up && echo ready && exec sleep 120']);
        $holder->start();
        Printed::by($holder, 'ready');

        if (! $holder->isRunning()) {
            getenv('CI') === 'true'
                ? Assert::fail($holder->getErrorOutput())
                : Assert::markTestSkipped('Only root may have a network of its own here: '.$holder->getErrorOutput());
        }

        return new self($holder);
    }

    public function __destruct()
    {
        $this->holder->stop(0);
    }

    public function run(string ...$command): Process
    {
        return $this->process(array_values($command))->mustRun();
    }

    /** Starts a program that runs until it is stopped, and waits until it reports that it is ready. */
    public function start(string $php): Process
    {
        $process = $this->process([PHP_BINARY, '-r', $php]);
        $process->start();
        Printed::by($process, 'ready');
        Assert::assertTrue($process->isRunning(), $process->getErrorOutput());

        return $process;
    }

    /** @param list<string> $command */
    public function process(array $command): Process
    {
        return new Process(
            ['nsenter', '-t', (string) $this->holder->getPid(), '-n', ...$command],
            dirname(__DIR__, 3),
            timeout: 60,
        );
    }
}
