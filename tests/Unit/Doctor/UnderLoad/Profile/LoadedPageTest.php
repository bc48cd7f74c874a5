<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\UnderLoad\Profile;

use Headroom\Doctor\UnderLoad\Profile\LoadedPage;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The application is handed what a web server would hand it.
 */
final class LoadedPageTest extends TestCase
{
    /** @return iterable<string, array{string, string, string, string, string}> */
    public static function pages(): iterable
    {
        yield 'a front controller' => ['/shop?a=b', '/srv/app/index.php', '/index.php', '/srv/app', 'a=b'];
        yield 'the root' => ['/', '/srv/app/public/index.php', '/index.php', '/srv/app/public', ''];
        yield 'a script' => ['/old/list.php?p=1?2', '/srv/old/list.php', '/old/list.php', '/srv', 'p=1?2'];
        yield 'a script by its path alone' => ['/x/y.php', '/srv/app/index.php', '/index.php', '/srv/app', ''];
    }

    #[Test]
    #[DataProvider('pages')]
    public function the_script_is_told_below_its_document_root(
        string $path,
        string $script,
        string $name,
        string $root,
        string $query,
    ): void {
        $params = (new LoadedPage($path, 'shop.test:8443', 8443, true))->params($script, '/tmp/sampling.php');

        self::assertSame('/tmp/sampling.php', $params['SCRIPT_FILENAME']);
        self::assertSame($script, $params['HEADROOM_SCRIPT']);
        self::assertSame($name, $params['HEADROOM_NAME']);
        self::assertSame($root, $params['DOCUMENT_ROOT']);
        self::assertSame($query, $params['QUERY_STRING']);
        self::assertSame($path, $params['REQUEST_URI']);
        self::assertSame('shop.test:8443', $params['HTTP_HOST']);
        self::assertSame('on', $params['HTTPS'] ?? '');
    }
}
