<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

use Headroom\Core\Permanent;
use RuntimeException;

/**
 * @internal
 */
final class UnableToRead extends RuntimeException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function missing(): self
    {
        return new self('there is no such file');
    }

    public static function denied(string $path): self
    {
        return new self('this user may not read it. To see it: sudo cat '.escapeshellarg($path));
    }

    public static function deniedDirectory(string $path): self
    {
        return new self("this user may not list {$path}. To see it: sudo ls ".escapeshellarg($path));
    }

    public static function notAFile(): self
    {
        return new self('it is not a regular file');
    }

    /** @param int $limit bytes */
    public static function tooLarge(int $size, int $limit): self
    {
        return new self("it has {$size} bytes; at most {$limit} are read");
    }

    public static function notPrinted(): self
    {
        return new self('it is not among the files that nginx -T printed');
    }

    public static function cycle(string $by): self
    {
        return new self("it is being read already; {$by} includes it again");
    }

    public static function tooMuch(int $files, int $bytes): self
    {
        return new self("more than {$files} files or {$bytes} bytes are included");
    }
}
