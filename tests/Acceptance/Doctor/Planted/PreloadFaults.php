<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Headroom\Tests\Acceptance\Doctor\ObservedFaultsTest;
use RuntimeException;

/**
 * Faults of opcache.preload: when PHP-FPM starts, after a deploy, and for applications that share it.
 */
final readonly class PreloadFaults
{
    private const ENABLE = 'php_admin_value[opcache.enable] = 1';

    /** @return list<Planting> */
    public static function faults(): array
    {
        return [
            new Planting(
                'O9 what was preloaded has changed',
                'O9',
                ini: ObservedFaultsTest::preloaded(),
                work: static fn (WholeStack $stack): array => [touch($stack->web->path('preloaded.php'), time() + 2)],
            ),
            new Planting(
                'O9 a deploy without a reload',
                'O9',
                ini: ObservedFaultsTest::preloaded('current/preload.php'),
                work: static fn (WholeStack $stack): array => self::deployed($stack, '1'),
            ),
            new Planting(
                'O9 a script that keeps away',
                'O9',
                ini: ObservedFaultsTest::preloaded('nothing.php'),
                isProse: true,
            ),
            new Planting(
                'O13 a pool that preloads',
                'O13',
                fpm: [self::ENABLE => self::ENABLE."\nphp_admin_value[opcache.preload] = %DIR%/preload.php"],
            ),
            new Planting(
                'O13 a pool that preloads beside php.ini',
                'O13',
                fpm: [self::ENABLE => self::ENABLE."\nphp_value[opcache.preload] = %DIR%/nothing.php"],
                ini: ObservedFaultsTest::preloaded(),
            ),
            new Planting(
                'O14 two applications',
                'O14',
                ini: ObservedFaultsTest::preloaded(),
                work: static fn (WholeStack $stack): array => self::visits($stack, 'two'),
                isProse: true,
            ),
            new Planting(
                'O14 one without a request yet',
                'O14',
                nginx: [
                    '        location / {' => "        location /two/ {\n            root %DIR%/two/public;\n"
                        ."            fastcgi_param SCRIPT_FILENAME \$document_root/index.php;\n"
                        ."            fastcgi_pass php;\n        }\n        location / {",
                ],
                ini: ObservedFaultsTest::preloaded(),
                isProse: true,
            ),
            new Planting(
                'O15 root without a user to preload',
                'O15',
                work: static fn (WholeStack $stack): array
                    => self::writes($stack, "opcache.preload={$stack->web->path('preload.php')}\n"),
            ),
            new Planting(
                'O15 a script that is gone',
                'O15',
                work: static fn (WholeStack $stack): array
                    => self::writes($stack, "opcache.preload=/srv/not/there.php\nopcache.preload_user=www-data\n"),
            ),
        ];
    }

    /** @return list<Planting> */
    public static function nearMisses(): array
    {
        return [
            new Planting('a preload that is as it was', '', ini: ObservedFaultsTest::preloaded()),
            new Planting(
                'a link that was turned and turned back',
                '',
                ini: ObservedFaultsTest::preloaded('current/preload.php'),
                work: static fn (WholeStack $stack): array => self::deployed($stack, '1', '2'),
            ),
            new Planting(
                'two applications that preload nothing',
                '',
                work: static fn (WholeStack $stack): array => self::visits($stack, 'two'),
            ),
            new Planting(
                'a user to preload',
                '',
                work: static fn (WholeStack $stack): array => self::writes(
                    $stack,
                    "opcache.preload={$stack->web->path('preload.php')}\nopcache.preload_user=www-data\n",
                ),
            ),
        ];
    }

    /** @return list<never> */
    private static function visits(WholeStack $stack, string $application): array
    {
        $stack->web->get("other={$application}") === 'served'
            || throw new RuntimeException("{$application} does not answer.");

        return [];
    }

    /** @return list<never> */
    private static function deployed(WholeStack $stack, string ...$releases): array
    {
        array_map($stack->web->release(...), $releases);

        return [];
    }

    /** @return list<never> */
    private static function writes(WholeStack $stack, string $ini): array
    {
        file_put_contents($stack->web->path('conf.d/stack.ini'), $ini);

        return [];
    }
}
