<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\HeadroomException;
use Headroom\Core\SystemClock;
use InvalidArgumentException;

/**
 * Tells what it does when it has done it, so that a trace of its system calls shows what was acknowledged when.
 */
final readonly class Teller
{
    public function __construct(private World $world) {}

    /**
     * @param list<string> $steps "add ID", "many ID ID", "keep", "release", "flush BUCKET", "sync", "clean BUCKET";
     *                            "add" and "many" go to the bucket named by the last "into BUCKET"
     * @return array{failures: array<string, string>}
     */
    public function tell(array $steps): array
    {
        $buffer = $this->world->buffer();
        $syncer = $this->world->syncer();
        $bucket = 'events';
        $failures = [];

        foreach ($steps as $step) {
            [$verb, $words] = [strtok($step, ' '), array_slice(explode(' ', $step), 1)];
            // Files that are loaded between two steps belong to neither of them.
            $this->say("begin {$step}");

            try {
                match ($verb) {
                    'into' => $bucket = $words[0],
                    'add' => $this->world->append($words, $bucket, $buffer),
                    'many' => $buffer->bucket($bucket)->addMany(array_map(Event::of(...), $words)),
                    'keep' => $buffer->keepSegmentsOpen(),
                    'release' => $buffer->closeSegments(),
                    'flush' => $this->flush($words[0]),
                    'sync' => $syncer->round(),
                    'clean' => $this->world->cleaner(new SystemClock, $words[0])->clean(-1),
                    default => throw new InvalidArgumentException("No step '{$step}'."),
                };
                $this->say("end {$step}");
            } catch (HeadroomException $e) {
                $failures[$step] = $e->getMessage();
            }
        }

        return ['failures' => $failures];
    }

    private function flush(string $bucket): void
    {
        $report = $this->world->flush($bucket);

        if ($report->failure !== null) {
            throw $report->failure;
        }
    }

    private function say(string $what): void
    {
        fwrite(STDOUT, "{$what}\n");
    }
}
