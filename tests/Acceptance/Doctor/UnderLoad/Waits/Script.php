<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad\Waits;

use Headroom\Doctor\UnderLoad\Waits\ProcessWaits;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Tests\Support\Redis\Patience;
use PHPUnit\Framework\Assert;
use RuntimeException;
use Symfony\Component\Process\InputStream;
use Symfony\Component\Process\Process;

/**
 * A PHP of its own that runs a few lines, and ends with the test.
 */
final readonly class Script
{
    /** Waits for a list of Redis, at the port that is its first argument. */
    public const BLPOP = '$r = new Redis; $r->connect("127.0.0.1", (int) $argv[1]);'
        .' $r->setOption(Redis::OPT_READ_TIMEOUT, -1); $r->blPop(["nothing"], 0);';

    private const LOOKS = 20;

    /** Connections that tests before this one have left open in our own process would be its connections as well. */
    private const ALONE =
        'for fd in /proc/self/fd/*; do fd=${fd##*/}; [ "$fd" -le 2 ] || eval "exec $fd>&-"; done; exec "$@"';

    private Process $process;

    public int $pid;

    public function __construct(string $code, string ...$arguments)
    {
        $this->process = new Process(
            ['bash', '-c', self::ALONE, 'alone', PHP_BINARY, '-r', $code, ...array_values($arguments)],
            timeout: null,
        );
        $this->process->setInput(new InputStream);
        $this->process->start();
        $this->pid = (int) $this->process->getPid();
    }

    public function __destruct()
    {
        $this->process->stop(0);
    }

    /** Its first steps wait as well, for a moment: what it waits for counts from when it says something. */
    public function begun(): self
    {
        Patience::until(fn (): bool => $this->process->getOutput() !== '', 'it has begun');

        return $this;
    }

    /** Returns the wait once it has begun, and checks that many later looks show the same. */
    public function comesTo(WaitKind $kind, ProcessWaits $waits = new ProcessWaits): Wait
    {
        $last = null;

        try {
            Patience::until(function () use ($waits, $kind, &$last): bool {
                $last = $waits->of([$this->pid])[0]
                    ?? Assert::fail('It ended: '.$this->process->getErrorOutput().$this->process->getOutput());

                return $last->kind === $kind;
            }, 'it waits');
        } catch (RuntimeException) {
            Assert::fail("It never was {$kind->value}, at last: ".json_encode($last));
        }

        Assert::assertInstanceOf(Wait::class, $last);

        for ($look = 0; $look < self::LOOKS; $look++) {
            $now = $waits->of([$this->pid])[0] ?? null;

            // curl wakes once a second, for a moment.
            if ($now?->kind !== WaitKind::Working) {
                Assert::assertEquals($last, $now, "look {$look}");
            }
        }

        return $last;
    }
}
