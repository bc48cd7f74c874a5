<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Headroom\Bench\Queues\UnableToBench;

/**
 * Laravel brings a driver for beanstalkd, and leaves the package below it to the application.
 *
 * @internal
 */
final readonly class Beanstalkd
{
    public const DRIVER = 'beanstalkd';

    /** Not there in every application, so that it is no name of ours. */
    private const PACKAGE = 'Pheanstalk\Pheanstalk';

    /** @return ?string null when it is there */
    public static function missing(): ?string
    {
        return class_exists(self::PACKAGE)
            ? null
            : "Laravel's driver for it needs a package: composer require pda/pheanstalk";
    }

    /** @throws UnableToBench */
    public static function check(string $name): void
    {
        $missing = self::missing();
        $missing === null ? null : throw UnableToBench::package($name, $missing);
    }

    public static function hasStandIn(): bool
    {
        return defined(self::PACKAGE.'::STAND_IN');
    }
}
