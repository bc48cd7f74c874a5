<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload;

use Headroom\Preload\DroppedClass;
use Headroom\Preload\DropReason;
use Headroom\Preload\Gain;
use Headroom\Preload\GeneratorInput;
use Headroom\Preload\Mode;
use Headroom\Preload\ObservedRequests;
use Headroom\Preload\Page;
use Headroom\Preload\PreloadConfig;
use Headroom\Preload\Strategy;
use Headroom\Preload\TargetApplication;
use Headroom\Support\InvalidConfig;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class DoorTest extends TestCase
{
    #[Test]
    public function without_settings_the_classes_of_users_are_compiled_into_a_made_file(): void
    {
        $config = PreloadConfig::fromArray([], '/srv/app');

        self::assertSame(
            [
                0,
                '/srv/app/storage/framework/headroom-preload',
                Strategy::Hot,
                Mode::Compile,
                0.05,
                [],
                [],
                33_554_432,
                'bootstrap/cache/preload.php',
                'public/index.php',
                'http://localhost',
            ],
            [
                $config->sample,
                $config->samples,
                $config->strategy,
                $config->mode,
                $config->share,
                $config->paths,
                $config->ignore,
                $config->budgetBytes,
                $config->file,
                $config->front,
                $config->url,
            ],
        );
        self::assertSame('/var/samples', PreloadConfig::fromArray(['samples' => '/var/samples'], '/srv/app')->samples);
        self::assertSame(
            'https://a.example:8443',
            PreloadConfig::fromArray(['url' => 'https://a.example:8443/deep?x#y'], '/srv/app')->url,
        );
    }

    #[Test]
    public function an_option_of_the_command_goes_before_the_setting_and_leaves_the_others(): void
    {
        $config = PreloadConfig::fromArray(
            ['strategy' => 'laravel', 'mode' => 'autoload', 'share' => '0.5', 'budget_mb' => 3],
            '/srv/app',
        );

        self::assertEquals($config, $config->with(null, null));
        self::assertEquals(
            PreloadConfig::fromArray(
                ['strategy' => 'vendors', 'mode' => 'compile', 'share' => '0.5', 'budget_mb' => 3],
                '/srv/app',
            ),
            $config->with(Strategy::Vendors, Mode::Compile),
        );
    }

    /** @param array<string, mixed> $values */
    #[Test]
    #[DataProvider('wrong')]
    public function an_impossible_setting_is_named(array $values): void
    {
        $this->expectException(InvalidConfig::class);
        $this->expectExceptionMessageMatches('/headroom\.preload.*'.array_key_first($values).'/');

        PreloadConfig::fromArray($values, '/srv/app');
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function wrong(): iterable
    {
        yield 'an unknown one' => [['shares' => 1]];
        yield 'more than all' => [['share' => 1.1]];
        yield 'less than none' => [['share' => '-0.1']];
        yield 'no number' => [['share' => 'all']];
        yield 'no strategy' => [['strategy' => 'cold']];
        yield 'no mode' => [['mode' => 'include']];
        yield 'no room' => [['budget_mb' => 0]];
        yield 'a file elsewhere' => [['file' => '/etc/preload.php']];
        yield 'a file above' => [['file' => 'a/../../preload.php']];
        yield 'a file that is none' => [['file' => 'bootstrap/cache/']];
        yield 'a file here' => [['file' => './preload.php']];
        yield 'no scheme' => [['url' => 'example.com']];
        yield 'a scheme that is not HTTP' => [['url' => 'ftp://example.com']];
    }

    #[Test]
    public function pages_are_asked_once_each_named_ones_first(): void
    {
        $page = static fn (string $target, int $weight = 1, string $body = ''): Page
            => new Page($body === '' ? 'GET' : 'POST', $target, $body, weight: max(1, $weight));
        $requests = new GeneratorInput(
            new ObservedRequests(pages: [$page('/c'), $page('/a', 9)]),
            [$page('/b'), $page('/b', body: 'x=1'), $page('/b', body: 'x=2')],
            [$page('/a', 3), $page('/b', 7)],
        );

        self::assertSame(
            [['GET /b', '', 1], ['POST /b', 'x=1', 1], ['POST /b', 'x=2', 1], ['GET /a', '', 3], ['GET /c', '', 1]],
            array_map(static fn (Page $page): array => [$page->name(), $page->body, $page->weight], $requests->pages()),
        );
        self::assertSame([], (new GeneratorInput)->pages());
    }

    #[Test]
    public function a_chain_of_descendants_keeps_the_reason_of_the_first(): void
    {
        $child = (new DroppedClass('A', 'a.php', DropReason::Impure, 'it runs code'))->forDescendant('B', 'b.php');
        $grandchild = $child->forDescendant('C', 'c.php');

        self::assertMatchesRegularExpression('/\bA\b.*it runs code$/', $child->detail);
        self::assertEquals(new DroppedClass('B', 'b.php', DropReason::DroppedAncestor, $child->detail), $child);
        self::assertEquals(new DroppedClass('C', 'c.php', DropReason::DroppedAncestor, $child->detail), $grandchild);
    }

    #[Test]
    public function a_gain_is_never_more_than_the_request_and_unknown_where_its_cpu_is(): void
    {
        self::assertSame(
            [100.0, 0.25],
            [(new Gain(0.5, 200.0, 400.0))->micros(), (new Gain(0.5, 200.0, 400.0))->share()],
        );
        self::assertSame(1.0, (new Gain(0.5, 200.0, 50.0))->share());
        self::assertNull((new Gain(0.5, 200.0, null))->share());
        self::assertNull((new Gain(0.5, 200.0, 0.0))->share());
    }

    #[Test]
    public function a_page_is_asked_for_as_a_web_server_does_it(): void
    {
        $plain = (new TargetApplication('/srv/app', '/srv/app/public/index.php'))->parameters(new Page(
            'GET',
            '/posts/5?a=1&b=/x:80',
        ));
        $secure = (new TargetApplication(
            '/srv/app',
            '/srv/app/public/index.php',
            'https://a.example:8443',
            headers: ['X-Forwarded-Host' => 'b.example'],
        ))->parameters(new Page('POST', '/', 'x=1', 'application/x-www-form-urlencoded'));

        self::assertSame(
            ['GET', '/posts/5?a=1&b=/x:80', 'a=1&b=/x:80', 'localhost', '80', 'http', ''],
            self::of(
                $plain,
                'REQUEST_METHOD',
                'REQUEST_URI',
                'QUERY_STRING',
                'HTTP_HOST',
                'SERVER_PORT',
                'REQUEST_SCHEME',
                'CONTENT_LENGTH',
            ),
        );
        self::assertArrayNotHasKey('HTTPS', $plain);
        self::assertSame(
            ['/srv/app/public', '/srv/app/public/index.php', '/index.php'],
            self::of($plain, 'DOCUMENT_ROOT', 'SCRIPT_FILENAME', 'SCRIPT_NAME'),
        );
        self::assertSame(
            ['POST', '', 'a.example', 'a.example:8443', '8443', 'https', 'on', '3', 'b.example'],
            self::of(
                $secure,
                'REQUEST_METHOD',
                'QUERY_STRING',
                'SERVER_NAME',
                'HTTP_HOST',
                'SERVER_PORT',
                'REQUEST_SCHEME',
                'HTTPS',
                'CONTENT_LENGTH',
                'HTTP_X_FORWARDED_HOST',
            ),
        );
    }

    /**
     * @param array<string, string> $parameters
     * @return list<?string>
     */
    private static function of(array $parameters, string ...$names): array
    {
        return array_map(static fn (string $name): ?string => $parameters[$name] ?? null, array_values($names));
    }
}
