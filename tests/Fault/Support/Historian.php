<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\SystemClock;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\History\HistoryFile;
use Headroom\Spool\History\HistoryMinute;
use Headroom\Spool\History\HistoryWriter;
use RuntimeException;

/**
 * Writes to the history of a bucket as many processes at once do.
 */
final readonly class Historian
{
    public const MINUTE = 29_000_000;

    public function __construct(private World $world) {}

    public static function file(World $world): HistoryFile
    {
        return HistoryFile::of($world->layout(), new Permissions);
    }

    /** @return array<string, mixed> */
    public function record(int $times): array
    {
        for ($n = 0; $n < $times; $n++) {
            $this->recordOne($n);
        }

        return ['recorded' => $times];
    }

    /** Notes each record in "<name>.ack" when it is written. */
    public function recordUntilKilled(string $name): never
    {
        $acknowledged = fopen("{$this->world->directory}/{$name}.ack", 'a');

        for ($n = 0; $acknowledged !== false; $n++) {
            $this->recordOne($n);
            fwrite($acknowledged, '.');
        }

        throw new RuntimeException('There is no place for acknowledgements.');
    }

    private function recordOne(int $n): void
    {
        do {
            $writer = HistoryWriter::open(self::file($this->world), new SystemClock);
        } while ($writer === null);

        $writer->add(new HistoryMinute(self::MINUTE + $n % 2, flushes: 1, events: 3, largestBatch: 3));
        $n % 10 === 0 ? $writer->addFailure($n + 1, "failure {$n}") : null;
        $writer->close();
    }
}
