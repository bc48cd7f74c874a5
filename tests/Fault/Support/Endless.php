<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\SystemClock;
use RuntimeException;

/**
 * A process that runs until it is killed, or until the process that forked it is gone.
 */
final readonly class Endless
{
    /** Of small events in one frame. */
    private const MANY = 100;

    public function __construct(private World $world) {}

    /**
     * Notes each id in "<name>.ack" after the append has returned: that is what was acknowledged.
     *
     * @param string $name unique to this process
     */
    public function write(string $name): void
    {
        $parent = posix_getppid();
        $clock = new SystemClock;
        $buffer = $this->world->buffer();
        $acknowledged = fopen("{$this->world->directory}/{$name}.ack", 'a');

        if ($acknowledged === false) {
            throw new RuntimeException('There is no place for acknowledgements.');
        }

        for ($n = 1; posix_getppid() === $parent; $n++) {
            // Loops that hold their slot, and requests that open one each.
            $n % 100 === 1 ? $buffer->keepSegmentsOpen() : null;
            $n % 100 === 51 ? $buffer->closeSegments() : null;
            $ids = $n % 40 === 20
                ? array_map(static fn (int $i): string => Event::SMALL."{$name}-{$n}-{$i}", range(1, self::MANY))
                : ["{$name}-{$n}"];
            $events = array_map(Event::of(...), $ids);
            count($ids) > 1 ? $buffer->bucket('events')->addMany($events) : $buffer->bucket('events')->add($events[0]);
            fwrite($acknowledged, implode("\n", $ids)."\n");
            $clock->sleep(500);
        }
    }

    public function flush(): void
    {
        $parent = posix_getppid();
        $clock = new SystemClock;
        $flusher = $this->world->flusher();

        while (posix_getppid() === $parent) {
            $report = $flusher->flush('events');

            if ($report->failure !== null) {
                file_put_contents(
                    "{$this->world->directory}/failures",
                    $report->failure->getMessage()."\n",
                    FILE_APPEND,
                );
            }

            $clock->sleep($report->busy ? 20_000 : 2_000);
        }
    }
}
