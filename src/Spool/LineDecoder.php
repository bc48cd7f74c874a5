<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Rows;

use function array_chunk;
use function count;
use function implode;
use function strlen;

/**
 * Decodes many lines at once. It remembers of what shape the last ones were, since the next ones mostly are of the same.
 *
 * @internal
 */
final class LineDecoder
{
    /** Few enough for what is made of them on the way to stay in the processor's cache. */
    private const LINES_AT_ONCE = 100;

    private ?Shape $shape = null;

    public function __construct(private readonly Codec $codec) {}

    /**
     * @param non-empty-list<string> $lines
     * @param int $replaced how many values were altered to be UTF-8, added to
     * @return ?Rows null when they have not all the same columns, or one has an id of its own, or can not be read: Codec::decodeRow() tells which
     */
    public function rows(array $lines, int &$replaced): ?Rows
    {
        [$parts, $altered] = [[], 0];

        foreach (array_chunk($lines, self::LINES_AT_ONCE) as $chunk) {
            $text = implode("\n", $chunk);
            // Whether a single line is too long is not worth a loop.
            $isShort = strlen($text) <= Codec::MAX_LINE_BYTES;
            $rows = $isShort ? $this->shape?->read($text, count($chunk)) : null;

            if ($rows === null) {
                $rows = $isShort ? $this->codec->decodeRows($chunk, $altered) : null;
                $this->shape = $rows === null ? null : Shape::of($rows);
            }

            if ($rows === null) {
                return null;
            }

            $parts[] = $rows;
        }

        $rows = Rows::join($parts);
        $replaced += $rows === null ? 0 : $altered;

        return $rows;
    }
}
