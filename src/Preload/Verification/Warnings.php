<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

/**
 * What PHP said about a list when it started with it.
 *
 * @internal
 */
final readonly class Warnings
{
    /**
     * @param array<string, string> $byFile what was said about a class of a file, by absolute path
     * @param list<string> $others
     */
    private function __construct(public array $byFile, public array $others) {}

    /** @param list<string> $lines of PHP's log */
    public static function in(array $lines): self
    {
        $byFile = [];
        $others = [];

        foreach ($lines as $line) {
            if (preg_match("/PHP Warning: +(Can't preload .*) in (\/.*) on line \d+/", $line, $m) === 1) {
                $byFile[$m[2]] ??= $m[1];
            } elseif (preg_match('/(?:PHP (?:Warning|Fatal error|Parse error|Notice): +|headroom preload: )(.*)/', $line, $m) === 1) {
                $others[] = $m[1];
            }
        }

        return new self($byFile, $others);
    }

    public function count(): int
    {
        return count($this->byFile) + count($this->others);
    }
}
