<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Report;

use Headroom\Console\Doctor\DoctorPage;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;
use Headroom\Process\TemporaryDirectory;
use Headroom\Report\Page\Page;
use Headroom\Tests\Acceptance\Charts\Browser;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Text stays in its box and words stay whole, on screens of two widths, in both themes and on paper.
 *
 * @phpstan-import-type Seen from Browser
 */
final class LayoutTest extends TestCase
{
    private const HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(2)>"\' onload=x &amp; {data}';

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('layout');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    /** @return iterable<string, array{string}> */
    public static function texts(): iterable
    {
        $directories = implode('/', array_fill(0, 12, 'customers-of-the-house'));
        yield 'a long path' => ["/srv/www/{$directories}/php-fpm.conf:112"];
        yield 'a command of 300 characters' => [substr(str_repeat('systemctl reload nginx.service && ', 10), 0, 300)];
        yield 'no place to wrap' => [str_repeat('x', 300)];
        yield 'Unicode' => [str_repeat('Größenänderung 重新加载配置 🚀 ', 12).str_repeat('漢', 120)];
        yield 'settings' => ['worker_processes, worker_connections and request_slowlog_timeout of the pool'];
        yield 'markup' => [self::HOSTILE];
        yield 'control characters' => ["\e[31mred\e[0m \u{202e}right to left\0 \xff"];
    }

    #[Test]
    #[DataProvider('texts')]
    public function a_text_in_every_field_stays_in_its_box(string $text): void
    {
        $seen = $this->look((new DoctorPage(self::diagnosis($text), $text))->page());

        self::assertSame([[], []], [$seen['errors'], $seen['elsewhere']]);

        foreach ($seen['layouts'] as $name => $layout) {
            self::assertGreaterThan(10, $layout['words'], $name);
            self::assertSame(
                [0, [], [], []],
                [$layout['overflow'], $layout['wide'], $layout['outside'], $layout['broken']],
                $name,
            );
        }

        foreach ($seen['pages'] as $name => $page) {
            self::assertSame([0, []], [$page['foreign'], $page['faint']], $name);
        }
    }

    #[Test]
    public function of_ten_thousand_findings_the_page_shows_the_most_urgent_and_says_so(): void
    {
        $one = self::diagnosis('pool')->problems()[0];
        $page = (new DoctorPage(new Report(array_fill(0, 10_000, $one)), 'now'))->page();
        $file = $this->directory->file('many.html');
        file_put_contents($file, $page->html());
        $seen = Browser::look("file://{$file}", [['page' => 'narrow'], ['layout' => 'narrow']], 390);

        self::assertSame([], $seen['errors']);
        self::assertStringContainsString('500 most urgent of 10000', $seen['pages']['narrow']['text']);
        self::assertCount(501, $seen['pages']['narrow']['sections']);
        self::assertSame(
            [0, [], []],
            [
                $seen['layouts']['narrow']['overflow'],
                $seen['layouts']['narrow']['outside'],
                $seen['layouts']['narrow']['broken'],
            ],
        );
    }

    /** @return Seen */
    private function look(Page $page): array
    {
        $file = $this->directory->file('page.html');
        file_put_contents($file, $page->html());

        return Browser::look("file://{$file}", [
            ['click' => 'summary'],
            ['layout' => 'wide'], ['page' => 'wide'],
            ['dark' => true], ['page' => 'wide and dark'],
            ['resize' => 390], ['layout' => 'narrow'], ['page' => 'narrow and dark'],
            ['dark' => false], ['page' => 'narrow'],
            // A4 at 96 dots an inch.
            ['resize' => 794], ['print' => true], ['layout' => 'print'],
        ]);
    }

    private static function diagnosis(string $text): Report
    {
        $check = new CheckText('N5', "A title: {$text}", Severity::Critical, Layer::Nginx, 'Why.', [
            'https://nginx.org/',
        ]);
        $evidence = [new Evidence($text, $text, $text), new Evidence('worker_processes', '8', 'nginx -T')];
        $edits = [Edit::replace("/etc/{$text}", 12, $text, $text), Edit::append('/etc/sysctl.conf', $text)];
        $fix = new Fix($text, $edits, [$text], $text);

        return new Report([
            new CheckResult($check, Finding::fail($text, $evidence, $text, $fix)->about($text)),
            new CheckResult($check, Finding::warn($text, $evidence, $text, $fix)),
            new CheckResult($check, Finding::pass($text)->about($text)),
            new CheckResult($check, Finding::unknown($text, $text)),
        ]);
    }
}
