<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Nginx;

use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * A name that a fastcgi_pass leads to, said by variables that can have no other value.
 */
final class VariableMaker
{
    private readonly Randomizer $random;

    private int $count = 0;

    /** Whether it is the server that sets variables now. */
    private bool $isEarly = false;

    /** @var list<string> */
    private array $http = [];

    /** @var list<string> */
    private array $server = [];

    /** @var list<string> */
    private array $location = [];

    /** @var array<string, string> files that are included, by name */
    private array $files = [];

    public function __construct(int $seed)
    {
        $this->random = new Randomizer(new Mt19937($seed));
    }

    /**
     * @param string $template with {http}, {server}, {location} and {target}
     * @return array{string, array<string, string>, string} the configuration, files that it includes,
     *     and what the pass says
     */
    public function put(string $template, string $name): array
    {
        $target = $this->said($name, $this->random->getInt(1, 3));
        $places = ['{http}' => $this->http, '{server}' => $this->server, '{location}' => $this->location];
        $lines = array_map(static fn (array $said): string => implode("\n", $said), $places);

        return [
            strtr($template, [...$lines, '{target}' => $target]),
            $this->files,
            $target,
        ];
    }

    /** A text of nginx that is that name in the end. */
    private function said(string $name, int $depth): string
    {
        return $depth === 0 || strlen($name) < 2 ? $name : match ($this->random->getInt(0, 10)) {
            0, 1 => $this->map($name, $depth),
            2 => $this->includedMap($name),
            3 => $this->block('geo', '', ['default', '10.0.0.0/8', '192.168.0.1'], $name),
            4 => $this->block('split_clients', '"${remote_addr}x" ', ['0.5%', '20%', '*'], $name),
            5 => $this->setEarly($name, $depth),
            6, 7 => $this->set($name, $depth),
            8 => $this->setByCondition($name, $depth),
            9 => $this->captured($name),
            10 => $this->inPieces($name, $depth),
        };
    }

    private function map(string $name, int $depth): string
    {
        $keys = [
            'default',
            '*.legacy.example',
            'a.example',
            '"~^b\d{1,3}\."',
            '"~*^(?<any'.$this->count.'>.+)\.c$"',
            '.d.example',
            'e.*',
        ];
        $parts = array_map(
            fn (string $key): string => "{$key} \"{$this->said($name, $this->random->getInt(0, $depth - 1))}\";",
            $keys,
        );

        return $this->blockOf('map', '$host ', ['hostnames;', ...$this->random->shuffleArray($parts)]);
    }

    private function includedMap(string $name): string
    {
        $file = "included_{$this->count}.map";
        $this->files[$file] = "a.example {$name};\n~^x {$name}; # and a comment }\n";

        return $this->blockOf('map', '"$host:$http_x" ', ["include {$file};", "default {$name};", 'volatile;']);
    }

    /** A map of a value that is known takes one entry and ignores the others. */
    private function captured(string $name): string
    {
        [$head, $tail] = $this->cut($name);
        $known = $this->block('geo', '', ['default', '127.0.0.0/8'], "x-{$tail}");
        $piece = $this->blockOf(
            'map',
            "{$known} ",
            ['default nowhere;', 'y-* nowhere;', "\"~^x-(?<piece_{$this->count}>.+)$\" {$head}\$1;", '~^x wrong;'],
        );

        return $piece;
    }

    private function inPieces(string $name, int $depth): string
    {
        [$head, $tail] = $this->cut($name);

        return "{$this->braced($this->said($head, $depth - 1))}{$this->braced($this->said($tail, $depth - 1))}";
    }

    /** A variable of a server block uses only variables of that block, because those of a location are set later. */
    private function setEarly(string $name, int $depth): string
    {
        $isOutermost = ! $this->isEarly;
        $this->isEarly = true;
        $variable = $this->set($name, $depth);
        $this->isEarly = ! $isOutermost;

        return $variable;
    }

    private function set(string $name, int $depth): string
    {
        $value = $this->said($name, $depth - 1);
        $variable = $this->name();
        $this->rewrite("set \${$variable} \"{$value}\";");

        return "\${$variable}";
    }

    private function rewrite(string $line): void
    {
        if ($this->isEarly) {
            $this->server[] = $line;
        } else {
            $this->location[] = $line;
        }
    }

    private function setByCondition(string $name, int $depth): string
    {
        $variable = $this->set($name, $depth);
        $again = $this->said($name, $depth - 1);
        $this->rewrite("if (\$http_user_agent ~ \"a{1,2}\") { set {$variable} \"{$again}\"; }");

        return $variable;
    }

    /** @param list<string> $keys */
    private function block(string $kind, string $source, array $keys, string $value): string
    {
        return $this->blockOf($kind, $source, array_map(static fn (string $key): string => "{$key} {$value};", $keys));
    }

    /** @param list<string> $entries */
    private function blockOf(string $kind, string $source, array $entries): string
    {
        $name = $this->name();
        $this->http[] = "{$kind} {$source}\${$name} {".$this->random->shuffleArray([' ', "\n"])[0].implode(
            $this->random->shuffleArray([' ', "\n"])[0],
            $entries,
        ).'}';

        return "\${$name}";
    }

    private function name(): string
    {
        return 'Made_'.++$this->count;
    }

    /** @return array{string, string} */
    private function cut(string $name): array
    {
        $at = $this->random->getInt(1, strlen($name) - 1);

        return [substr($name, 0, $at), substr($name, $at)];
    }

    private function braced(string $text): string
    {
        return preg_replace('/\A\$(\w+)\z/', '${\1}', $text) ?? $text;
    }
}
