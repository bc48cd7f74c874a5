<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Site;

use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\MissingServer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * docs/.vitepress/check.mjs on small sites.
 */
final class LinkCheckTest extends TestCase
{
    private const SITE = [
        'index.html' => '<a href="/guide#first">a</a><a href="./guide">b</a><a href="#top">c</a><h1 id="top">T</h1>'
            .'<a href="https://example.com/">d</a><script>const text = "<img src=\'//x\'>";</script>',
        'guide.html' => '<h1>G</h1><h2 id="first">F</h2><img src="/images/one.svg" alt=""><a href="/part/">a</a>',
        'part/index.html' => '<h1>P</h1><a href="../guide#first">a</a><a href="/">b</a>',
        'images/one.svg' => '<svg></svg>',
        'style.css' => 'a { background: url(/images/one.svg) }',
    ];

    #[Test]
    public function a_site_whose_links_lead_somewhere_passes(): void
    {
        [$code, $output] = self::check([]);

        self::assertSame(
            "3 pages, 7 links, anchors and images: each leads to something, and nothing comes from elsewhere.\n",
            $output,
        );
        self::assertSame(0, $code);
    }

    /** @return iterable<string, array{array<string, string>, string}> */
    public static function breaches(): iterable
    {
        $cases = [
            'page' => ['<a href="/gone">a</a>', 'guide.html leads to /gone, which is not there.'],
            'relative page' => ['<a href="../gone">a</a>', 'guide.html leads to ../gone, which is not there.'],
            'anchor' => [
                '<a href="/part/#gone">a</a>', 'guide.html leads to /part/#gone: part/index.html has no such anchor.',
            ],
            'own anchor' => ['<a href="#gone">a</a>', 'guide.html leads to #gone: guide.html has no such anchor.'],
            'image' => ['<img src="/gone.png">', 'guide.html leads to /gone.png, which is not there.'],
            'script' => ['<script src="https://cdn.test/a.js"></script>', 'guide.html loads https://cdn.test/a.js.'],
            'font' => ['<link href="//fonts.test/a" rel="stylesheet">', 'guide.html loads //fonts.test/a.'],
            'set of images' => [
                '<img srcset="/images/one.svg 1x, /two.svg 2x">', 'guide.html leads to /two.svg, which',
            ],
        ];

        foreach ($cases as $name => [$html, $problem]) {
            yield $name => [['guide.html' => self::SITE['guide.html'].$html], $problem];
        }

        yield 'a page that was not rendered' => [['part/index.html' => ''], 'part/index.html has no heading.'];
        yield 'style' => [
            ['style.css' => '@import "https://fonts.test/a.css";'], 'style.css loads @import "https://fonts',
        ];
    }

    /** @param array<string, string> $files */
    #[Test]
    #[DataProvider('breaches')]
    public function a_link_that_leads_nowhere_or_elsewhere_fails(array $files, string $problem): void
    {
        [$code, $output] = self::check($files);

        self::assertStringContainsString($problem, $output);
        self::assertSame(1, substr_count($output, "\n"));
        self::assertSame(1, $code);
    }

    /**
     * @param array<string, string> $files that differ
     * @return array{int, string}
     */
    private static function check(array $files): array
    {
        if (Programs::optional('node') === null) {
            MissingServer::named('chromium', 'node is not installed: bin/services install chromium');
        }

        $directory = TemporaryDirectory::create('site');

        try {
            foreach ([...self::SITE, ...$files] as $name => $text) {
                @mkdir(dirname($directory->file($name)));
                file_put_contents($directory->file($name), $text);
            }

            $process = new Process(['node', dirname(__DIR__, 3).'/docs/.vitepress/check.mjs', $directory->path]);
            $code = $process->run();

            return [$code, $process->getOutput().$process->getErrorOutput()];
        } finally {
            $directory->remove();
        }
    }
}
