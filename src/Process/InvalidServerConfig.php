<?php

declare(strict_types=1);

namespace Headroom\Process;

use Headroom\Core\Permanent;
use InvalidArgumentException;

/**
 * A value that cannot be written into a server's configuration.
 *
 * @internal
 */
final class InvalidServerConfig extends InvalidArgumentException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function number(string $what, int|float $seen, string $allowed): self
    {
        return new self("{$what} is {$seen}. It must be {$allowed}.");
    }

    public static function noFile(string $what, string $path): self
    {
        return new self("{$what} is '{$path}', which does not exist. Set it to the absolute path of a readable file.");
    }

    public static function text(string $what, string $seen, string $allowed): self
    {
        return new self("{$what} is '".addcslashes(substr($seen, 0, 120), "\0..\37")."'. It must be {$allowed}.");
    }

    public static function unknownUser(string $user): self
    {
        return new self(
            "There is no user '{$user}' on this machine. Name an existing user: workers that root starts run"
                .' as this user.',
        );
    }
}
