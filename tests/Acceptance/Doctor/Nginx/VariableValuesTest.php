<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Nginx;

use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\PassTarget;
use Headroom\Doctor\Nginx\NginxFacts;
use Headroom\Process\Proc;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Doctor\Fpm\Eventually;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;
use Symfony\Component\Process\Process;

/**
 * The real nginx says which value a variable has when it passes a request on: one of those that the doctor knows,
 * set by any directive.
 */
#[Group('day-3')]
final class VariableValuesTest extends TestCase
{
    private const HTTP = <<<'NGINX'
        map $arg_m $m { default a; x b; "~^y(?<piece>.)$" "c$piece"; "~*^z(.)" "d$1"; }
        map $m $of_m { a ofa; default "of$m"; }
        map $fixed $of_fixed { volatile; hostnames; default no; *.example yes; "~^php(\d)(\d)$" "v$1.$2"; }
        map $fixed $kept { default "k$fixed"; php82 yes; }
        map "$kept." $of_kept { hostnames; default no; yes also; "~^k(?!php).*[^.]$" $kept; }
        split_clients "$arg_s" $split { 30% s1; 30% s2; }
        geo $arg_g $geo { default g0; 10.0.0.0/8 g1; }
        NGINX;

    private const SETS = [
        'set $b one;', 'set $b $m;', 'set $b "${b}z";', 'set $c $b;', 'set $b "$c-x";', 'set $b $of_m;',
        'set $b "$split$geo";',
        'set $fixed php82;', 'set $fixed a.example;', 'set $b $of_fixed;', 'set $b $kept;', 'set $c $of_kept;',
        'if ($arg_i) { set $b i; }', 'if ($arg_k) { break; }',
        'if ($arg_i = 2) { set $c "c$c"; break; }', 'if ($arg_k) { set $b k; set $b "${b}k"; }',
        'rewrite ^/never /other last;',
        'if ($arg_m ~ "^y(?<taken>.)") { set $b "t$taken"; }', 'rewrite ^/also-never /other break;',
    ];

    private const ON = [
        'try_files /none /index.php?$args;', 'rewrite ^ /index.php last;', 'try_files /none @named;',
        'error_page 404 = @named; return 404;',
        'error_page 404 = /index.php?$args; return 404;',
    ];

    /** Another location is asked before a request is passed on, and sets variables of it. */
    private const ASKED = ['', '', '', 'auth_request /ask; '];

    private TemporaryDirectory $directory;

    private Randomizer $random;

    protected function setUp(): void
    {
        Needs::program('nginx', 'nginx');
        $this->directory = TemporaryDirectory::create('nginx-values');
        $this->random = new Randomizer(new Mt19937(Sample::seed()));
    }

    protected function tearDown(): void
    {
        $pid = is_file($this->directory->file('pid')) ? (int) file_get_contents($this->directory->file('pid')) : 0;
        $pid === 0 || posix_kill($pid, SIGTERM);
        Eventually::true(static fn (): bool => $pid === 0 || ! (new Proc)->isAlive($pid));
        $this->directory->remove();
    }

    #[Test]
    public function each_value_that_nginx_gives_a_variable_is_known_or_may_be(): void
    {
        $servers = Sample::number(60, 400);
        $config = $this->directory->write('nginx.conf', $this->config($servers));
        (new Process([
            Programs::nginx(), '-e', $this->directory->file('error.log'), '-p', $this->directory->path, '-c', $config,
        ]))->mustRun();
        $passes = [];

        foreach ((new NginxFacts(Parser::files(new DiskFiles, $config), null, 1))->passes() as $pass) {
            $places = $pass->directive->path();
            $passes["{$places[1]->block?->first('listen')?->argument(0)} {$places[2]->argument(0)}"] = $pass;
        }

        $whole = 0;

        for ($number = 0; $number < $servers * 6; $number++) {
            $socket = $this->directory->file('s'.$number % $servers);
            $answer = $this->asked($socket);

            // Where a condition holds nginx forgets the try_files around it, and passes nothing on.
            if (preg_match('/^X-Seen: (.+?)>(.*)<\r$/m', $answer, $seen) !== 1) {
                continue;
            }

            [, $place, $value] = $seen;
            $pass = $passes["unix:{$socket} {$place}"];
            $known = array_map(static fn (PassTarget $target): string => $target->name, $pass->targets->known);
            $whole += $pass->targets->rest === null ? 1 : 0;
            $isKnown = in_array($value, $known, true) || ($pass->targets->rest !== null && self::maybe($pass, $value));

            self::assertTrue(
                $isKnown,
                "{$value} is none of ".implode(', ', $known)." ({$pass->targets->rest}):\n".$this->serverOf($socket),
            );
        }

        self::assertGreaterThan(intdiv($servers, 2), $whole);
    }

    private static function maybe(FastcgiPass $pass, string $value): bool
    {
        return $value === '' || $pass->targets->maybe($value);
    }

    private function config(int $servers): string
    {
        $temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
        $lines = array_map(static fn (string $kind): string => "{$kind}_temp_path {$kind};", $temporary);
        array_push($lines, 'access_log off;', self::HTTP);

        for ($number = 0; $number < $servers; $number++) {
            $end = static fn (string $place): string
                => "fastcgi_pass \$b; add_header X-Seen \"{$place}>\$b<\" always; }";
            $lines[] = "server { listen unix:{$this->directory->file("s{$number}")}; set \$fixed ''; {$this->sets(3)}"
                ."location / { {$this->sets(2)}{$this->one(self::ON)} }"
                ."location = /ask { {$this->sets(2)}return 204; }"
                ."location ~ \\.php\$ { {$this->sets(3)}{$this->one(self::ASKED)}{$end('~')}"
                ."location @named { {$this->sets(2)}{$this->one(self::ASKED)}{$end('@named')} }";
        }

        return "pid pid;\nevents {\n}\nhttp {\n".implode("\n", $lines)."\n}\n";
    }

    private function asked(string $socket): string
    {
        $query = http_build_query(array_filter([
            'm' => $this->one(['', 'x', 'y7', 'z9', 'other']),
            'i' => $this->one(['', '1', '2']),
            'k' => $this->one(['', '', '1']),
            's' => (string) $this->random->getInt(0, 99),
            'g' => $this->one(['', '10.1.1.1']),
        ], static fn (string $value): bool => $value !== ''));
        $curl = curl_init("http://localhost/{$this->one(['', 'index.php'])}?{$query}");
        self::assertNotFalse($curl);
        self::assertNotSame('', $socket);
        curl_setopt_array(
            $curl,
            [CURLOPT_UNIX_SOCKET_PATH => $socket, CURLOPT_RETURNTRANSFER => true, CURLOPT_HEADER => true],
        );

        return (string) curl_exec($curl);
    }

    private function serverOf(string $socket): string
    {
        $config = (string) file_get_contents($this->directory->file('nginx.conf'));

        return preg_match('~^.*unix:'.preg_quote($socket, '~').';.*$~m', $config, $m) === 1 ? $m[0] : '';
    }

    private function sets(int $most): string
    {
        $text = '';

        for ($count = $this->random->getInt(0, $most); $count > 0; $count--) {
            $text .= "{$this->one(self::SETS)} ";
        }

        return $text;
    }

    /** @param non-empty-list<string> $pieces */
    private function one(array $pieces): string
    {
        return $pieces[$this->random->getInt(0, count($pieces) - 1)];
    }
}
