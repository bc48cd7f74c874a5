<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use InvalidArgumentException;

/**
 * A value that a page cannot show. It is thrown where the value is made, so the trace names the caller.
 *
 * @internal
 */
final class InvalidPage extends InvalidArgumentException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function id(string $id): self
    {
        return new self(
            "The id '".TerminalText::name($id)
                ."' has other characters than a to z, 0 to 9 and -, or none. Take such as 'jobs-per-second'.",
        );
    }

    public static function twice(string $id): self
    {
        return new self("The id '{$id}' is on the page twice. A section or chart has an id of its own.");
    }

    /** @param string $what such as "title of the section 'jobs'" */
    public static function blank(string $what): self
    {
        return new self("The {$what} is empty. Say what it is.");
    }

    /** @param string $where such as "line 'redis'" */
    public static function notFinite(string $where, float $seen): self
    {
        return new self(
            'A value of the '.TerminalText::name($where).' is '.var_export($seen, true)
                .'. Values are finite numbers; null is a missing value.',
        );
    }

    public static function backwards(string $where, float $before, float $seen): self
    {
        return new self(
            'In the '.TerminalText::name($where)." {$seen} stands after {$before}. Give them in ascending order.",
        );
    }

    public static function length(string $where, int $seen, int $needed): self
    {
        return new self('The '.TerminalText::name($where)." has {$seen} values, where {$needed} are needed.");
    }

    public static function color(int $seen): self
    {
        return new self("There is no colour {$seen}. There are 0 to 7, and 8, which is grey.");
    }

    public static function notPositive(string $where, float $seen): self
    {
        return new self(
            "A value of the {$where} is {$seen}. A logarithmic axis begins above 0, and draws 0 at its beginning;"
                .' take another scale for what is below.',
        );
    }

    public static function tone(string $what, Tone $seen): self
    {
        return new self("The {$what} is {$seen->name}, which only text can have. Use Plain, Good or Alert.");
    }

    public static function link(string $seen): self
    {
        return new self(
            "The link '".TerminalText::name($seen)
                ."' leaves the page. A page links to #an-id or to a file in its directory,"
                ." such as 'queues.html#redis'.",
        );
    }
}
