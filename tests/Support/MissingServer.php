<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use PHPUnit\Framework\Assert;

/**
 * A test that needs a server which is not here is skipped by name. Where CI=true it fails, but for the servers in
 * HEADROOM_WITHOUT: bin/services names there, with spaces between them, those that this system has no package of.
 */
final readonly class MissingServer
{
    /** @param string $name as bin/services calls it */
    public static function named(string $name, string $message): never
    {
        self::isAFailure($name) ? Assert::fail($message) : Assert::markTestSkipped($message);
    }

    public static function isAFailure(string $name): bool
    {
        $without = preg_split('/\s+/', (string) getenv('HEADROOM_WITHOUT'), -1, PREG_SPLIT_NO_EMPTY);

        return in_array(getenv('CI'), ['true', '1'], true)
            && ! in_array($name, $without === false ? [] : $without, true);
    }
}
