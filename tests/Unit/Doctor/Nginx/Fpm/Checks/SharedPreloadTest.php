<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Nginx\Fpm\ServedApplications;
use Headroom\Doctor\Status;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\ExaminesPreloads;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Rule O14: applications that share the preloaded files of one PHP-FPM.
 */
final class SharedPreloadTest extends TestCase
{
    use ExaminesPreloads;

    /** @return iterable<string, array{list<array<string, mixed>>, Status}> */
    public static function served(): iterable
    {
        $app = self::root('/srv/app');

        yield 'one' => [[$app], Status::Pass];
        yield 'none that is known' => [[], Status::Pass];
        yield 'two' => [[$app, self::root('/srv/other')], Status::Fail];
        yield 'two, one of which was not asked yet' => [
            [$app, self::root('/srv/other', ['how' => '/srv/other/public', 'entry' => false])], Status::Fail,
        ];
        yield 'one by two names' => [[$app, self::root('/srv/link', ['real' => '/srv/app'])], Status::Pass];
        yield 'releases of one' => [
            [
                self::root('/srv/app/releases/1'),
                self::root('/srv/app/releases/2'),
                self::root('/srv/app/current', ['real' => '/srv/app/releases/2']),
            ],
            Status::Pass,
        ];
        yield 'releases of two' => [[self::root('/srv/a/releases/1'), self::root('/srv/b/releases/1')], Status::Fail];
        yield 'a release that is gone' => [
            [$app, self::root('/srv/app-1', ['real' => null, 'gone' => true])], Status::Pass,
        ];
        yield 'blue and green with one storage' => [
            [
                self::root('/srv/blue', ['state' => '/srv/shared/storage']),
                self::root('/srv/green', ['state' => '/srv/shared/storage']),
            ],
            Status::Pass,
        ];
        yield 'two with a storage each' => [
            [self::root('/srv/a', ['state' => '/srv/a-shared']), self::root('/srv/b', ['state' => '/srv/b-shared'])],
            Status::Fail,
        ];
        yield 'packages that are kept beside' => [
            [self::root('/srv/app', ['vendor' => '/srv/vendor']), self::root('/srv', ['vendor' => '/srv/vendor'])],
            Status::Pass,
        ];
        yield 'packages that are taken from elsewhere' => [
            [$app, self::root('/opt/packages', ['code' => false, 'entry' => false])], Status::Pass,
        ];
        yield 'a package with an autoloader of its own' => [
            [$app, self::root('/srv/app/packages/own', ['entry' => false])], Status::Pass,
        ];
        yield 'an application below another one' => [[$app, self::root('/srv/app/shop')], Status::Fail];
        yield 'a profiler before each script' => [
            [$app, self::root('/opt/profiler', ['entry' => false])], Status::Pass,
        ];
        yield 'one that may not be seen' => [[$app, self::root('/home/other', ['real' => null])], Status::Fail];
    }

    /** @param list<array<string, mixed>> $roots */
    #[Test]
    #[DataProvider('served')]
    public function applications_that_share_preloaded_files(array $roots, Status $status): void
    {
        $pools = $this->machine->fpm(
            ['www' => []],
            [],
            self::runtime('/p', self::PRELOADED)
                + ['roots' => ['prepended' => '/opt/profiler/begin.php', 'roots' => $roots]],
        );
        $found = $this->examined('O14', $pools);
        Examined::is($status, $found);

        if ($status === Status::Fail) {
            Examined::fires('O14', [], $found);
        }

        $nothing = $this->machine->fpm(['www' => []], [], self::runtime('', null) + ['roots' => ['roots' => $roots]]);
        Examined::is(Status::Skipped, $this->examined('O14', $nothing));
    }

    #[Test]
    public function the_owner_of_files_that_opcache_hides_is_unknown(): void
    {
        foreach ([['read' => false], ['read' => false, 'scripts' => null]] as $told) {
            Examined::is(
                Status::Unknown,
                $this->examined(
                    'O14',
                    $this->machine->fpm(['www' => []], [], self::runtime('/p', self::PRELOADED) + ['roots' => $told]),
                ),
            );
        }

        Examined::is(Status::Unknown, $this->examined('O14', $this->machine->fpm(['www' => []], [], null)));
        Examined::is(
            Status::Unknown,
            $this->examined(
                'O14',
                $this->machine->fpm(
                    ['www' => []],
                    [],
                    [
                        'opcache_error' => 'it is restricted',
                        'configuration' => ['directives' => ['opcache.preload' => '/p']],
                    ],
                ),
            ),
        );
    }

    #[Test]
    public function an_application_is_told_of_the_others_before_it_preloads(): void
    {
        $pools = $this->machine->fpm(
            ['www' => [], 'two' => [], 'away' => []],
            [],
            self::runtime('', null) + ['roots' => ['roots' => [self::root('/srv/app'), self::root('/srv/other')]]],
            masters: ['away' => 80],
        );
        $applications = new ServedApplications($pools, null);

        self::assertSame(['/srv/other'], array_column($applications->besides($pools->pools[0], '/srv/app'), 'path'));
        self::assertSame(
            ['/srv/app', '/srv/other'],
            array_column($applications->besides($pools->pools[2], '/srv/new'), 'path'),
        );
    }

    /**
     * @param array<string, mixed> $more
     * @return array<string, mixed> as the probe prints it
     */
    private static function root(string $path, array $more = []): array
    {
        return $more
            + ['path' => $path, 'real' => $path, 'how' => 'opcache', 'gone' => false, 'entry' => true, 'code' => true];
    }
}
