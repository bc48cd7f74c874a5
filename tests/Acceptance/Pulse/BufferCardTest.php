<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Pulse;

use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Acceptance\NewLaravel;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Markdown\Walkthrough;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * The card in a page of Pulse's contract, with the real Livewire: docs/pulse.md.
 */
#[Group('proof')]
final class BufferCardTest extends DirectoryTestCase
{
    private const ROUTES = <<<'PHP'
        use Headroom\Laravel\Facades\Buffer;
        use Illuminate\Support\Facades\Route;

        Route::get('/append', function () {
            Buffer::bucket('audit')->add(['note' => '<script>window.hit = 1</script>']);

            return 'appended';
        });
        PHP;

    private const BUCKETS = <<<'PHP'
        return ['buckets' => ['audit' => ['sink' => 'file', 'path' => storage_path('audit.ndjson')]]];
        PHP;

    private ?Walkthrough $reader = null;

    protected function tearDown(): void
    {
        $this->reader?->closeTerminals();
        parent::tearDown();
    }

    #[Test]
    public function it_shows_the_buckets_and_refreshes_without_a_reload(): void
    {
        $reader = $this->reader = NewLaravel::reader($this->directory, shortened: true);
        $this->does($reader, 'composer create-project laravel/laravel shop', 'cd shop');
        $package = __DIR__.'/fixtures/pulse';
        $this->does(
            $reader,
            'composer config repositories.headroom path ../headroom',
            "composer config repositories.pulse path {$package}",
            'composer require headroom/headroom:@dev laravel/pulse:@alpha',
        );
        $this->writes($reader, 'routes/web.php', self::ROUTES);
        $this->writes($reader, 'config/spool.php', self::BUCKETS);
        $reader->follow(
            new CodeBlock('docs/pulse.md', 0, '', 'shell', "php artisan serve --no-reload\n", 'second terminal'),
        );
        $address = NewLaravel::serves($reader);
        self::assertSame(200, Http::get("http://{$address}/append")[0]);

        $seen = Browser::look("http://{$address}/pulse", [
            ['await' => 'tr:has-text("audit"):has-text("waiting")'],
            ['await' => 'h2 + p:has-text("1 waiting on this machine")'],
            ['await' => 'a[href$="/headroom"]'],
            ['ask' => '/append'],
            // Livewire asks again after five seconds.
            ['await' => 'h2 + p:has-text("2 waiting on this machine")'],
        ]);

        self::assertSame([], $seen['errors']);
        self::assertCount(1, (array) preg_grep('~/pulse$~', $seen['requests']));
    }

    private function does(Walkthrough $reader, string ...$commands): void
    {
        foreach ($commands as $command) {
            $reader->follow(new CodeBlock('docs/pulse.md', 0, '', 'shell', "{$command}\n", 'In a terminal:'));
        }
    }

    private function writes(Walkthrough $reader, string $file, string $code): void
    {
        $reader->follow(new CodeBlock('docs/pulse.md', 0, '', 'php', "// {$file}\n{$code}\n", 'The file:'));
    }
}
