<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Core\HeadroomException;
use Headroom\Support\TerminalText;
use ParseError;
use RuntimeException;

/**
 * A source file whose classes are unknown.
 *
 * @internal
 */
final class UnableToRead extends RuntimeException implements HeadroomException
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function notReadable(string $path): self
    {
        return new self("{$path} cannot be read by this user.");
    }

    public static function doesNotParse(string $path, ParseError $e): self
    {
        return new self("{$path} is not valid for PHP ".PHP_VERSION." in line {$e->getLine()}: {$e->getMessage()}.");
    }
}
