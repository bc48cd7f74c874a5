<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Nginx;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Config\Block;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\Lexer;
use Headroom\Doctor\Nginx\Config\NginxDump;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * The real nginx says what is a configuration and what is not.
 */
final class DifferentialTest extends TestCase
{
    private TemporaryDirectory $directory;

    private RealNginx $nginx;

    protected function setUp(): void
    {
        Needs::program('nginx', 'nginx');
        $this->directory = TemporaryDirectory::create('nginx-differential');
        $this->nginx = new RealNginx($this->directory);
        mkdir($this->directory->file('snippets'));
        $this->snippets();
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test, Group('day-1')]
    public function valid_configurations_are_read_alike_from_the_dump_and_from_files(): void
    {
        $taken = 0;

        for ($seed = 1; $seed <= Sample::number(25, 100); $seed++) {
            $text = (new ConfigMaker($seed))->whole();
            $printed = $this->nginx->dump($text);

            if (RealNginx::parses($printed) !== true) {
                continue;
            }

            $taken++;
            $files = Parser::files(new DiskFiles, $this->directory->file('nginx.conf'));
            $dump = NginxDump::fromText($printed->output);
            self::assertNotNull($dump);
            $dumped = Parser::dump($dump);
            self::assertSame(Trees::lines($files->main), Trees::lines($dumped->main), "Seed {$seed}");
            self::assertSame($files->files, $dumped->files);
        }

        self::assertGreaterThan(Sample::number(10, 40), $taken);
    }

    #[Test, Group('day-2')]
    public function a_directive_has_the_file_and_line_that_nginx_names(): void
    {
        $random = new Randomizer(new Mt19937(3));
        $seen = ['nginx.conf' => 0, 'a.conf' => 0, 'b.conf' => 0];

        for ($seed = 1; $seed <= Sample::number(40, 200); $seed++) {
            $this->snippets();
            $main = $this->directory->file('nginx.conf');

            if (RealNginx::parses($this->nginx->test((new ConfigMaker($seed))->whole())) !== true) {
                continue;
            }

            $places = self::statements(Parser::files(new DiskFiles, $main)->main);
            $at = $places[$random->getInt(0, count($places) - 1)];
            $text = (string) file_get_contents($at->file);
            file_put_contents($at->file, substr_replace($text, 'zz "z\'" $z ;', (int) $at->span?->start, 0));
            $printed = $this->nginx->test((string) file_get_contents($main));

            if (preg_match('/unknown directive "zz" in (\S+)$/m', $printed->errors, $named) === 1) {
                $seen[basename($at->file)]++;
                $found = array_filter(
                    self::statements(Parser::files(new DiskFiles, $main)->main),
                    static fn (Directive $one): bool => $one->name === 'zz',
                );
                self::assertSame($named[1], array_values($found)[0]->where(), "Seed {$seed}");
            }
        }

        self::assertGreaterThan(Sample::number(10, 60), $seen['nginx.conf']);
        self::assertGreaterThan(0, $seen['a.conf'] + $seen['b.conf']);
    }

    #[Test, Group('day-3')]
    public function only_a_configuration_that_nginx_refuses_is_unknown(): void
    {
        $verdicts = ['taken' => 0, 'refused' => 0];

        for ($seed = 1; $seed <= Sample::number(50, 250); $seed++) {
            $text = (new ConfigMaker($seed))->slipped();
            $printed = $this->nginx->test($text);
            $verdicts[$printed->exitCode === 0 ? 'taken' : 'refused']++;
            self::assertSame($printed->exitCode !== 0, $printed->isRefusal(), "Seed {$seed}: {$printed->errors}");

            if ($printed->exitCode === 0) {
                $files = Parser::files(new DiskFiles, $this->directory->file('nginx.conf'));
                $dump = NginxDump::fromText($this->nginx->dump($text)->output);
                self::assertNotNull($dump);
                self::assertSame(Trees::lines($files->main), Trees::lines(Parser::dump($dump)->main), "Seed {$seed}");
            }
        }

        self::assertGreaterThan(Sample::number(3, 20), $verdicts['taken']);
        self::assertGreaterThan(Sample::number(10, 60), $verdicts['refused']);
    }

    #[Test, Group('day-1')]
    public function words_are_read_as_nginx_reads_them(): void
    {
        $verdicts = ['named' => 0, 'refused' => 0];

        for ($seed = 1; $seed <= Sample::number(30, 150); $seed++) {
            $word = (new ConfigMaker($seed))->word();
            $printed = $this->nginx->test("{$word} b;\n");
            $named = preg_match('/unknown directive "(.*)" in /s', $printed->errors, $m) === 1 ? $m[1] : null;
            $verdicts[$named === null ? 'refused' : 'named']++;

            try {
                $seen = (new Lexer('f', "{$word} b;\n"))->next()->words[0];
            } catch (FactUnavailable) {
                $seen = null;
            }

            self::assertSame($named, $seen, "Seed {$seed}: {$word}\n{$printed->errors}");
        }

        self::assertGreaterThan(Sample::number(8, 50), $verdicts['named']);
        self::assertGreaterThan(Sample::number(0, 10), $verdicts['refused']);
    }

    private function snippets(): void
    {
        $this->directory->write('snippets/b.conf', "add_header B b;\r\n# the end");
        $this->directory->write('snippets/a.conf', "\nadd_header A 'a'; # no newline after this\nexpires 1h;");
    }

    /** @return list<Directive> all that are no entries of a block of data */
    private static function statements(Block $block): array
    {
        $found = [];

        foreach ($block->directives() as $one) {
            array_push($found, $one, ...match (true) {
                $one->block === null, in_array($one->name, ['map', 'geo', 'types', 'split_clients'], true) => [],
                default => self::statements($one->block),
            });
        }

        return $found;
    }
}
