<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Composer\Autoload\ClassLoader;
use Headroom\Dev\BuiltInServer;
use Headroom\Host\WebConfig;
use Headroom\Tests\Laravel\Support\Http;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class LoadedFilesTest extends TestCase
{
    private ?WorkbenchApplication $workbench = null;

    protected function tearDown(): void
    {
        $this->workbench?->shut();
    }

    #[Test, Group('day-3')]
    public function with_config_cached_a_request_that_buffers_nothing_loads_only_the_service_provider(): void
    {
        self::assertSame(['src/Laravel/HeadroomServiceProvider.php'], $this->loadedBy('none'));
    }

    #[Test]
    public function a_request_that_buffers_one_event_loads_no_file_without_need(): void
    {
        self::assertSame([
            'src/Laravel/HeadroomServiceProvider.php',
            'src/Laravel/Facades/Buffer.php',
            'src/Spool/Buffer.php',
            'src/Spool/AppendConfig.php',
            'src/Spool/Bucket.php',
            'src/Spool/FileStore/Segment/SegmentWriter.php',
            'src/Spool/Store/Writer.php',
            'src/Spool/Encoding/Codec.php',
        ], $this->loadedBy('buffered'));
    }

    #[Test]
    public function without_a_route_cache_another_request_loads_no_file_of_the_dashboard(): void
    {
        // The workbench declares a route that receives webhooks, which loads what declares it.
        $loaded = $this->loadedBy('none', isRouteCached: false);

        self::assertContains('src/Laravel/HeadroomServiceProvider.php', $loaded);
        self::assertSame([], preg_grep('~/Http/(?:Dashboard|Authorize)|/Report/|ConfigReader|InvalidConfig~', $loaded));
    }

    /** @return list<string> of this package, in a real request of a web server */
    private function loadedBy(string $endpoint, bool $isRouteCached = true): array
    {
        $this->workbench = WorkbenchApplication::boot()->migrate();
        $this->workbench->artisanProcess('config:cache');
        // Declaring a route that receives webhooks loads what declares it.
        $isRouteCached ? $this->workbench->artisanProcess('route:cache') : null;
        $root = (string) realpath(dirname(__DIR__, 2));
        $list = "{$this->workbench->storage}/included.json";
        $server = BuiltInServer::start(new WebConfig(__DIR__.'/fixtures/front.php', workers: 1, user: 'root', env: [
            'HEADROOM_AUTOLOAD' => array_key_first(ClassLoader::getRegisteredLoaders()).'/autoload.php',
            'HEADROOM_INCLUDED' => $list,
            'WORKBENCH_STORAGE' => $this->workbench->storage,
        ]));

        try {
            // The second request is the one that counts: the first one of a new installation makes directories.
            foreach ([1, 2] as $round) {
                [$status] = Http::send('POST', "{$server->url()}/events/{$endpoint}", WorkbenchEvent::json());
                self::assertSame(202, $status, "{$round}: {$this->workbench->log()}");
            }
        } finally {
            $server->stop();
        }

        $files = json_decode((string) file_get_contents($list), true, flags: JSON_THROW_ON_ERROR);
        $own = [];

        foreach (is_array($files) ? $files : [] as $file) {
            if (
                is_string($file)
                && preg_match(
                    '~\A'.preg_quote($root, '~').'/((?:src|config|database)/.*)\z~',
                    (string) realpath($file),
                    $m,
                ) === 1
            ) {
                $own[] = $m[1];
            }
        }

        return $own;
    }
}
