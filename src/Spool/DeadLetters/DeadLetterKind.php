<?php

declare(strict_types=1);

namespace Headroom\Spool\DeadLetters;

use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;

/**
 * Which dead letters have one cause: the same sink gave the same reason, apart from numbers and quoted values.
 *
 * @internal
 */
final readonly class DeadLetterKind
{
    private const MAX_BYTES = 2_000;

    /** Parts that differ between two events with one cause. */
    private const VARYING = [
        "~'(?:[^'\\\\\\n]|\\\\.){0,500}'~" => "'…'",
        '~"(?:[^"\\\\\n]|\\\\.){0,500}"~' => '"…"',
        '~`[^`\n]{0,200}`~' => '`…`',
        '~\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b~i' => '#',
        '~\b(?=[a-f]*\d)[0-9a-f]{16,}\b~i' => '#',
        '~\d+(?:[.,:-]\d+)*~' => '#',
    ];

    private function __construct(public string $hash, public string $reason) {}

    public static function of(DeadLetter|CorruptDeadLetter $letter): self
    {
        $sink = $letter instanceof DeadLetter ? $letter->sink : 'corrupt';
        // A reason is cut in the middle of a character only where it was not UTF-8.
        $reason = substr($letter->reason, 0, self::MAX_BYTES);
        $normal = preg_replace(array_keys(self::VARYING), array_values(self::VARYING), $reason) ?? $reason;

        return new self(substr(hash('sha256', "{$sink}\n{$normal}"), 0, 16), $normal);
    }
}
