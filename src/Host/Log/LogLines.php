<?php

declare(strict_types=1);

namespace Headroom\Host\Log;

use Generator;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Log\Envelope\Envelope;
use Headroom\Host\Log\Envelope\UnwrappedLine;

/**
 * The lines of one log, without the prefixes that Docker, Kubernetes, the journal or a syslog put before them. The
 * beginning of the file decides which prefixes it has.
 *
 * @internal
 */
final readonly class LogLines
{
    private const HEAD_BYTES = 65_536;

    private const HEAD_LINES = 400;

    private const BOM = "\xEF\xBB\xBF";

    /** @param iterable<string> $chunks */
    private function __construct(
        public string $head,
        public Envelope $envelope,
        private iterable $chunks,
        private LineReader $reader,
    ) {}

    /** @param iterable<string> $chunks of text */
    public static function of(iterable $chunks, Clock $clock = new SystemClock): self
    {
        $chunks = (static fn (): Generator => yield from $chunks)();
        $headChunks = [];
        $failure = self::readHead($chunks, $headChunks);
        $headChunks[0] = isset($headChunks[0]) && str_starts_with($headChunks[0], self::BOM)
            ? substr($headChunks[0], 3)
            : $headChunks[0] ?? '';
        $head = implode('', $headChunks);
        $all = static function () use ($headChunks, $chunks, $failure): Generator {
            yield from $headChunks;

            if ($failure !== null) {
                throw $failure;
            }

            for (; $chunks->valid(); $chunks->next()) {
                yield $chunks->current();
            }
        };

        return new self($head, Envelope::of(self::lines($head), $clock), $all(), new LineReader);
    }

    /**
     * The lines as the file has them. They can be read once.
     *
     * @return iterable<string>
     */
    public function raw(): iterable
    {
        return $this->reader->lines($this->chunks);
    }

    /**
     * The lines without their prefixes, each with its source and time. They can be read once.
     *
     * @return iterable<UnwrappedLine>
     */
    public function unwrapped(): iterable
    {
        return $this->envelope->lines($this->raw());
    }

    /**
     * The lines without their prefixes. They can be read once.
     *
     * @return iterable<string>
     */
    public function texts(): iterable
    {
        return $this->envelope->isNone() ? $this->raw() : $this->envelope->texts($this->raw());
    }

    public function reader(): LineReader
    {
        return $this->reader;
    }

    /**
     * The complete lines at the beginning.
     *
     * @return list<string>
     */
    public static function lines(string $head): array
    {
        $lines = explode("\n", substr($head, 0, self::HEAD_BYTES), self::HEAD_LINES + 1);

        if (count($lines) > 1) {
            array_pop($lines);
        }

        return array_map(static fn (string $line): string => rtrim($line, "\r"), $lines);
    }

    /**
     * A file that breaks off early still has lines before the break.
     *
     * @param Generator<mixed, string> $chunks
     * @param list<string> $headChunks
     *
     * @param-out list<string> $headChunks
     */
    private static function readHead(Generator $chunks, array &$headChunks): ?UnableToReadLog
    {
        try {
            for ($bytes = 0; $bytes < self::HEAD_BYTES && $chunks->valid(); $chunks->next()) {
                $headChunks[] = $chunks->current();
                $bytes += strlen($chunks->current());
            }
        } catch (UnableToReadLog $e) {
            return $e;
        }

        return null;
    }
}
