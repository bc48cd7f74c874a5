<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Redis;

use Headroom\Process\Programs;
use Headroom\Process\UnableToFindProgram;
use Headroom\Tests\Support\MissingServer;

/**
 * The programs that a test on Redis needs. Without them the test is skipped by name; with CI=true it fails.
 */
final readonly class Installed
{
    public static function server(): string
    {
        try {
            return Programs::redis();
        } catch (UnableToFindProgram $e) {
            self::missing("{$e->getMessage()} Or: bin/services install redis");
        }
    }

    public static function phpRedis(): void
    {
        extension_loaded('redis') || self::missing('ext-redis is not installed: bin/services install redis');
    }

    private static function missing(string $message): never
    {
        MissingServer::named('redis', $message);
    }
}
