<?php

declare(strict_types=1);

namespace Headroom\Http;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use InvalidArgumentException;

/**
 * A response that cannot be written. The handler that made it has a bug: text from a client must not reach a header
 * unchecked.
 *
 * @internal
 */
final class InvalidResponse extends InvalidArgumentException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function status(int $status): self
    {
        return new self("A response has the status {$status}. It must be between 200 and 599.");
    }

    public static function headerName(string $name): self
    {
        return new self(
            "A response has a header named '".TerminalText::name($name)
                ."'. It must be a token of letters, digits and hyphens.",
        );
    }

    /** The message leaves out the value, which may be long or a secret. */
    public static function headerValue(string $name): self
    {
        return new self(
            "The response header {$name} has a control character in its value, such as a line end, which would begin"
                .' another header. Remove or encode it.',
        );
    }
}
