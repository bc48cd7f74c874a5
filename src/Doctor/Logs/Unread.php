<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs;

use Headroom\Core\Printable;

/**
 * Lines that are not of this kind of log: counted, and the first of them shown.
 *
 * @internal
 */
final class Unread
{
    private const SHOWN = 3;

    private const LONGEST = 60;

    private int $lines = 0;

    /** @var list<string> */
    private array $examples = [];

    public function add(string $line): void
    {
        $this->lines++;

        if (count($this->examples) < self::SHOWN) {
            $this->examples[] = Printable::name($line, self::LONGEST);
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
