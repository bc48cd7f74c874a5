<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Authentication;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The key file could not be read or changed. Its content is unchanged.
 *
 * @internal
 */
final class UnableToStoreKeys extends RuntimeException implements Permanent
{
    private function __construct(string $message, public readonly string $path)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function notRead(string $path, string $reason): self
    {
        return new self(
            "Cannot read the API keys in {$path}: {$reason}. Run this as the user that runs the collector.",
            $path,
        );
    }

    public static function missing(string $path): self
    {
        return new self(
            "Cannot read the API keys in {$path}: the directory is missing. Restore the directory of the buffer, or"
                .' restart the collector to start with an empty one.',
            $path,
        );
    }

    public static function notWritten(string $path, string $reason): self
    {
        return new self(
            "Cannot change the API keys: {$path} is not writable ({$reason}). Run this as the user that runs the"
                .' collector, and check the free space of the disk.',
            $path,
        );
    }

    public static function invalid(string $path, string $reason): self
    {
        return new self(
            "The API keys in {$path} are invalid: {$reason}. Restore the file from a backup, or remove it and"
                .' create new keys.',
            $path,
        );
    }
}
