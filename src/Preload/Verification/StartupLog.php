<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

/**
 * What PHP said about a list when it started with it.
 *
 * @internal
 */
final readonly class StartupLog
{
    /**
     * @param array<string, string> $byFile what was said about a class of a file, by absolute path
     * @param array<string, string> $byClass what our script said about a class that it could not load
     * @param list<string> $objections what our script said instead of preloading
     * @param list<string> $others
     */
    private function __construct(
        public array $byFile,
        public array $byClass,
        public array $objections,
        public array $others,
    ) {}

    /** @param list<string> $lines of PHP's log */
    public static function in(array $lines): self
    {
        $byFile = [];
        $byClass = [];
        $objections = [];
        $others = [];

        foreach ($lines as $line) {
            if (preg_match("/PHP Warning: +(Can't preload .*) in (\/.*) on line \d+/", $line, $m) === 1) {
                $byFile[$m[2]] ??= $m[1];
            } elseif (preg_match('/headroom preload: Class (\S+) can not be loaded: (.*)/', $line, $m) === 1) {
                $byClass[$m[1]] ??= $m[2];
            } elseif (preg_match('/headroom preload: (.*)/', $line, $m) === 1) {
                $objections[] = $m[1];
            } elseif (preg_match('/PHP (?:Warning|Fatal error|Parse error|Notice): +(.*)/', $line, $m) === 1) {
                $others[] = $m[1];
            }
        }

        return new self($byFile, $byClass, $objections, $others);
    }

    /** Whether a class is at fault, and not the list as a whole. */
    public function nameClasses(): bool
    {
        return $this->byFile !== [] || $this->byClass !== [];
    }

    public function count(): int
    {
        return count($this->byFile) + count($this->byClass) + count($this->objections) + count($this->others);
    }
}
