<?php

declare(strict_types=1);

namespace Headroom\Collector\Sapi;

use Headroom\Core\HeadroomException;
use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The front controller could not be written.
 *
 * @internal
 */
final class UnableToPublish extends RuntimeException implements HeadroomException, Permanent
{
    public static function notOurs(string $path): self
    {
        return new self(TerminalText::line(
            "{$path} is there already and was not written by this package. Move it away, or name another path:"
                .' headroom:collect:publish public/events.php',
        ));
    }

    public static function notWritten(string $path, string $reason): self
    {
        return new self(TerminalText::line(
            "{$path} could not be written ({$reason}). Run the command as a user with write permission.",
        ));
    }

    public static function noScript(string $path): self
    {
        return new self(TerminalText::line(
            "{$path} does not end with .php. Name a script that the web server hands to PHP, such as public/ingest.php",
        ));
    }
}
