<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Preload;

use Workbench\Rig\Production;

/**
 * One release for all tests of this process that leave it as they found it: deploying one takes seconds.
 */
final class Release
{
    private static ?Production $one = null;

    public static function shared(): Production
    {
        if (self::$one === null) {
            self::$one = Production::copy();
            register_shutdown_function(self::$one->remove(...));
        }

        return self::$one;
    }
}
