<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Closure;
use Headroom\Process\Programs;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * A share of what is to be planted, planted without a view of the other stacks: with processes, a network and a
 * SQL server of its own. An examination mostly waits for the seconds that it looks,
 * so that several take hardly longer than one.
 */
final class Share
{
    private string $read = '';

    /** @param list<Planting> $plantings */
    private function __construct(private readonly array $plantings, private readonly Process $process) {}

    /** @param list<Planting> $plantings one after the other */
    public static function start(array $plantings): self
    {
        $names = array_map(static fn (Planting $planting): string => $planting->name, $plantings);
        $process = new Process(
            [
                'dev/alone.sh',
                'bin/services',
                'run',
                'mariadb',
                '--',
                Programs::php(),
                'dev/planted-share.php',
                ...$names,
            ],
            dirname(__DIR__, 4),
            timeout: null,
        );
        $process->start();

        return new self($plantings, $process);
    }

    /**
     * @param list<self> $shares
     * @param Closure(Outcome): void $each as soon as it is known
     * @return list<Outcome>
     */
    public static function outcomes(array $shares, Closure $each): array
    {
        $outcomes = [];

        do {
            // A process is known to have ended before its output is read, so the output is complete.
            $running = array_filter($shares, static fn (self $share): bool => $share->process->isRunning());

            foreach ($shares as $share) {
                foreach ($share->come() as $outcome) {
                    $each($outcome);
                    $outcomes[] = $outcome;
                }
            }

            usleep(50_000);
        } while ($running !== []);

        foreach ($shares as $share) {
            $share->process->getExitCode() === 0 || throw new RuntimeException($share->process->getErrorOutput());
        }

        return $outcomes;
    }

    /** @return list<Outcome> that were not known before */
    private function come(): array
    {
        $this->read .= $this->process->getIncrementalOutput();
        $lines = explode("\n", $this->read);
        $this->read = array_pop($lines);

        return array_map(function (string $line): Outcome {
            /** @var array{planted: string, ...} $told */
            $told = json_decode($line, true, flags: JSON_THROW_ON_ERROR);

            foreach ($this->plantings as $planting) {
                if ($planting->name === $told['planted']) {
                    return Outcome::fromArray($planting, $told);
                }
            }

            throw new RuntimeException("Nobody has planted {$told['planted']}.");
        }, $lines);
    }
}
