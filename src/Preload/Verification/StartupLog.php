<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

/**
 * What PHP logged when it started with a list.
 *
 * @internal
 */
final readonly class StartupLog
{
    /**
     * @param array<string, string> $byFile warnings of PHP about classes, by absolute path of the file
     * @param array<string, string> $byClass classes that the preload script could not load, with the reason
     * @param list<string> $objections why the preload script did not preload
     * @param list<string> $others
     */
    private function __construct(
        public array $byFile,
        public array $byClass,
        public array $objections,
        public array $others,
    ) {}

    /** @param list<string> $lines of PHP's log */
    public static function parse(array $lines): self
    {
        $byFile = [];
        $byClass = [];
        $objections = [];
        $others = [];

        foreach ($lines as $line) {
            if (preg_match("/PHP Warning: +(Can't preload .*) in (\/.*) on line \d+/", $line, $m) === 1) {
                $byFile[$m[2]] ??= $m[1];
            } elseif (preg_match('/headroom preload: Class (\S+) cannot be loaded: (.*)/', $line, $m) === 1) {
                $byClass[$m[1]] ??= $m[2];
            } elseif (preg_match('/headroom preload: (.*)/', $line, $m) === 1) {
                $objections[] = $m[1];
            } elseif (preg_match('/PHP (?:Warning|Fatal error|Parse error|Notice): +(.*)/', $line, $m) === 1) {
                $others[] = $m[1];
            }
        }

        return new self($byFile, $byClass, $objections, $others);
    }

    /** Whether it blames classes, and not the list as a whole. */
    public function namesClasses(): bool
    {
        return $this->byFile !== [] || $this->byClass !== [];
    }
}
