<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Headroom\Bench\Queues\UnableToBench;

/**
 * The package that Laravel's beanstalkd driver needs. The application chooses whether to install it.
 *
 * @internal
 */
final readonly class BeanstalkdPackage
{
    public const DRIVER = 'beanstalkd';

    /** Named as text, because not each application has it. */
    private const PACKAGE = 'Pheanstalk\Pheanstalk';

    /** @return ?string null if it is installed */
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
