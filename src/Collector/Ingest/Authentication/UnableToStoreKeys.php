<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Authentication;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The file of keys could not be read or changed. What was in it before is still in it.
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
            "The keys in {$path} can not be read: {$reason}. Run this as the user that the collector runs as.",
            $path,
        );
    }

    public static function away(string $path): self
    {
        return new self(
            "The keys in {$path} can not be read: the directory is gone. Bring the buffer's directory back, or restart"
                .' the collector to begin with an empty one.',
            $path,
        );
    }

    public static function notWritten(string $path, string $reason): self
    {
        return new self(
            "The keys could not be changed: {$path} can not be written ({$reason}). Nothing was changed."
                .' Run this as the user that the collector runs as, on a disk that has room.',
            $path,
        );
    }

    public static function strange(string $path, string $why): self
    {
        return new self(
            "The keys in {$path} are not understood: {$why}. Bring the file back from a backup, or remove it and"
                .' make new keys.',
            $path,
        );
    }
}
