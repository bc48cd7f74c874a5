<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs;

use Headroom\Support\TerminalText;

/**
 * Lines that are not of this kind of log: counted, and the first of them shown.
 *
 * @internal
 */
final class UnparsedLines
{
    private const SHOWN = 3;

    private const LONGEST = 60;

    private int $lines = 0;

    private ?string $last = null;

    /** @var list<string> */
    private array $examples = [];

    public function add(string $line): void
    {
        $this->lines++;
        $this->last = $line;

        if (count($this->examples) < self::SHOWN) {
            $this->examples[] = TerminalText::name($line, self::LONGEST);
        }
    }

    /** This line was no rubbish after all but the beginning of something, if it is the one that was added last. */
    public function takeBack(string $line): void
    {
        if ($this->last === $line) {
            $this->last = null;
            $this->lines--;
            $this->examples = array_slice($this->examples, 0, $this->lines);
        }
    }

    public function lines(): int
    {
        return $this->lines;
    }

    /** @return list<string> fit for a terminal */
    public function examples(): array
    {
        return $this->examples;
    }
}
