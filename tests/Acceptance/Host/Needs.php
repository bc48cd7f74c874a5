<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Host\Programs;
use Headroom\Host\UnableToFind;
use Headroom\Host\WebStack;
use PHPUnit\Framework\Assert;

/**
 * A server that cannot be had is a skip on somebody's machine and a failure where CI=true.
 */
final class Needs
{
    public static function webStack(): void
    {
        self::unless(WebStack::isInstalled(), 'nginx and PHP-FPM are not installed: bin/services install nginx fpm');
    }

    public static function program(string $name, string $package): void
    {
        self::unless(Programs::optional($name) !== null, "{$name} is not installed: apt-get install {$package}");
    }

    public static function redis(): void
    {
        try {
            Programs::redis();
        } catch (UnableToFind $e) {
            self::unless(false, $e->getMessage());
        }
    }

    private static function unless(bool $met, string $message): void
    {
        if ($met) {
            return;
        }

        if (in_array(getenv('CI'), ['true', '1'], true)) {
            Assert::fail($message);
        }

        Assert::markTestSkipped($message);
    }
}
