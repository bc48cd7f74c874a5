<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Edits;

use Headroom\Doctor\Edit;
use Headroom\Doctor\Fix;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\Edits\NginxEdits;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class NginxChangeTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('nginx-change');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function one_of_several_directives_on_a_line_is_changed(): void
    {
        $config = $this->config('http { upstream php { server unix:/a; keepalive 16; } }');
        [$upstream] = $config->blocks('http', 'upstream');
        $keepalive = self::first($upstream, 'keepalive');

        self::assertSame(['http { upstream php { server unix:/a; } }'], $this->lines(NginxChange::without($keepalive)));
        self::assertSame(
            ['http { upstream php { server unix:/a; keepalive 2; } }'],
            $this->lines(NginxChange::to($keepalive, 'keepalive 2')),
        );
        self::assertSame(
            ['http { upstream php { keepalive_timeout 5s; server unix:/a; keepalive 16; } }'],
            $this->lines(NginxChange::into($upstream, 'keepalive_timeout 5s')),
        );
    }

    #[Test]
    public function changes_of_one_line_are_made_together_and_the_same_one_once(): void
    {
        [$upstream] = $this->config(
            "http {\n    upstream php { server unix:/a; keepalive 16; }\n}",
        )->blocks('http', 'upstream');
        $keepalive = self::first($upstream, 'keepalive');
        $server = self::first($upstream, 'server');

        self::assertSame(
            ['    upstream php { server unix:/b; }'],
            $this->lines(
                NginxChange::without($keepalive),
                NginxChange::to($server, 'server unix:/b'),
                NginxChange::without($keepalive),
            ),
        );
    }

    #[Test]
    public function of_two_changes_of_one_directive_the_second_is_left_to_people(): void
    {
        [$upstream] = $this->config("http {\nupstream php {\nkeepalive 16;\n}\n}")->blocks('http', 'upstream');
        $changes = NginxEdits::edits([
            NginxChange::to(self::first($upstream, 'keepalive'), 'keepalive 2'),
            NginxChange::to(self::first($upstream, 'keepalive'), 'keepalive 4'),
        ]);

        self::assertCount(2, $changes);
        self::assertInstanceOf(Edit::class, $changes[0]);
        self::assertInstanceOf(ManualChange::class, $changes[1]);
    }

    #[Test]
    public function a_file_that_has_changed_is_not_edited_and_is_named(): void
    {
        [$upstream] = $this->config("http {\nupstream php {\nkeepalive 16;\n}\n}")->blocks('http', 'upstream');
        $keepalive = self::first($upstream, 'keepalive');

        foreach ([
            "http {\nupstream php {\nkeepalive 32;\n}\n}", "# new\nhttp {\nupstream php {\nkeepalive 16;\n}\n}", null,
        ] as $text) {
            $text === null
                ? unlink($this->directory->file('nginx.conf'))
                : $this->directory->write('nginx.conf', $text);
            $fix = new Fix(
                'Do it.',
                [
                    ...NginxEdits::edits([NginxChange::without($keepalive)]),
                    ...NginxEdits::edits([NginxChange::before($keepalive, 'x 1')]),
                ],
            );

            self::assertSame([], $fix->edits);
            self::assertStringContainsString(
                "`keepalive 16;` out of {$this->directory->file('nginx.conf')}:3.",
                $fix->text,
            );
            self::assertStringContainsString(
                "before `keepalive 16` in {$this->directory->file('nginx.conf')}:3.",
                $fix->text,
            );
        }
    }

    #[Test]
    public function what_nginx_is_told_when_it_starts_stands_in_no_file(): void
    {
        $config = $this->config('events { }', 'worker_processes 1;');
        $directive = $config->main->first('worker_processes');
        self::assertNotNull($directive);

        self::assertEquals(
            [new ManualChange(
                'Change `worker_processes 1;` in nginx -g:1 to `worker_processes auto;`. Start nginx again with that:'
                    .' a reload keeps its command line.',
            )],
            NginxEdits::edits([NginxChange::to($directive, 'worker_processes auto')]),
        );
        self::assertSame(['pcre_jit on;'], $this->lines(NginxChange::outside($config, 'pcre_jit on')));
    }

    private function config(string $text, string $globals = ''): NginxConfig
    {
        return Parser::files(new DiskFiles, $this->directory->write('nginx.conf', $text), $globals);
    }

    private static function first(Directive $block, string $name): Directive
    {
        return $block->block?->first($name) ?? self::fail("There is a {$name}.");
    }

    /** @return list<?string> what lines become */
    private function lines(NginxChange ...$changes): array
    {
        return array_map(
            static fn (Edit|ManualChange $edit): ?string => $edit instanceof Edit ? $edit->new : $edit->text,
            NginxEdits::edits(array_values($changes)),
        );
    }
}
