<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\ExternalProgram;
use Headroom\Process\ParentDeathSignal;
use Headroom\Process\Signal;
use Symfony\Component\Process\Process;

/**
 * The process of `headroom load`.
 *
 * @internal
 */
final class LoadProcess implements RunningLoad
{
    /** A load process that received SIGINT has this long to print its result. */
    private const STOP_TIMEOUT_NANOS = 5_000_000_000;

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
        // The command has already asked whether this host may receive load.
        $process = new Process(
            self::endingWithThisProcess([
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
     * @return non-empty-list<string> a command that the kernel ends when this process dies, if setpriv is installed
     */
    private static function endingWithThisProcess(array $command): array
    {
        try {
            (new ExternalProgram)->output(ParentDeathSignal::around(['true'], Signal::Interrupt), 'setpriv');

            return ParentDeathSignal::around($command, Signal::Interrupt);
        } catch (FactUnavailable) {
            return $command;
        }
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
        $until = $this->clock->monotonicNanos() + self::STOP_TIMEOUT_NANOS;

        while ($this->process->isRunning() && $this->clock->monotonicNanos() < $until) {
            $this->clock->sleep(50_000);
        }

        $this->process->stop(0);
    }

    public function traffic(): ?LoadTraffic
    {
        return LoadTraffic::fromJson($this->process->getOutput());
    }

    /** @return string its error message; '' if it printed none */
    public function errorMessage(): string
    {
        $answer = json_decode($this->process->getOutput(), true);

        if (is_array($answer) && is_string($answer['error'] ?? null)) {
            return $answer['error'];
        }

        return trim($this->process->getErrorOutput());
    }
}
