<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Process\ParentDeathSignal;
use Headroom\Process\ShieldedCommand;
use Headroom\Process\Signal;
use Symfony\Component\Process\Process;

/**
 * `headroom load`, started as a user would.
 *
 * @internal
 */
final class LoadProcess implements Load
{
    /** Until a process that was told to end has said what it saw. */
    private const PATIENCE_NANOS = 5_000_000_000;

    private function __construct(private readonly Process $process, private readonly Clock $clock) {}

    /** @param list<string> $load the program and its command that sends load */
    public static function start(
        array $load,
        string $url,
        int $concurrency,
        float $seconds,
        float $timeout,
        Clock $clock = new SystemClock,
    ): self {
        // Whether this host may be asked was settled before.
        $process = new Process(
            self::tied([
                ...$load,
                $url,
                "--concurrency={$concurrency}",
                "--duration={$seconds}",
                "--timeout={$timeout}",
                '--allow-remote',
                '--json',
                '--no-interaction',
                '--no-ansi',
            ]),
            null,
            null,
            null,
            $seconds + $timeout + 30,
        );
        $process->start();

        return new self($process, $clock);
    }

    /**
     * @param non-empty-list<string> $command
     * @return non-empty-list<string> it ends with this process, though that be killed,
     *     where a program here can see to that
     */
    private static function tied(array $command): array
    {
        return ShieldedCommand::run(new Process(ParentDeathSignal::around(['true'], Signal::Interrupt))) === 0
            ? ParentDeathSignal::around($command, Signal::Interrupt)
            : $command;
    }

    public function isRunning(): bool
    {
        return $this->process->isRunning();
    }

    public function stop(): void
    {
        if (! $this->process->isRunning()) {
            return;
        }

        $this->process->signal(Signal::Interrupt->value);
        $until = $this->clock->monotonicNanos() + self::PATIENCE_NANOS;

        while ($this->process->isRunning() && $this->clock->monotonicNanos() < $until) {
            $this->clock->sleep(50_000);
        }

        $this->process->stop(0);
    }

    public function traffic(): ?LoadTraffic
    {
        return LoadTraffic::fromJson($this->process->getOutput());
    }

    /** @return string its own words; '' where it said nothing */
    public function words(): string
    {
        $answer = json_decode($this->process->getOutput(), true);

        if (is_array($answer) && is_string($answer['error'] ?? null)) {
            return $answer['error'];
        }

        return trim($this->process->getErrorOutput());
    }
}
