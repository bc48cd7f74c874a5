<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

/**
 * The address of a global of a running program: a stripped program keeps in .dynsym the symbols that extensions use.
 */
final readonly class Symbol
{
    private const DYNAMIC_SYMBOLS = 11;

    /** @throws UnableToRead */
    public static function address(int $pid, string $name): int
    {
        $program = @readlink("/proc/{$pid}/exe");
        $maps = @file_get_contents("/proc/{$pid}/maps");
        $elf = @file_get_contents("/proc/{$pid}/exe");

        if ($program === false || $maps === false || $elf === false || $maps === '') {
            throw UnableToRead::because("/proc/{$pid}/exe or /proc/{$pid}/maps cannot be read.");
        }

        $line = '~^([0-9a-f]+)-\S+ \S+ 00000000 \S+ \d+\s+'.preg_quote($program, '~').'~m';
        $isFound = preg_match($line, $maps, $first);

        return $isFound === 1
            ? (int) hexdec($first[1]) + self::value($elf, $name)
            : throw UnableToRead::because("{$program} is not in /proc/{$pid}/maps.");
    }

    /** @throws UnableToRead */
    private static function value(string $elf, string $name): int
    {
        $sections = self::sections($elf);

        foreach ($sections as $section) {
            if ($section['type'] !== self::DYNAMIC_SYMBOLS) {
                continue;
            }

            $names = $sections[$section['link']]['offset'];

            for ($at = $section['offset']; $at < $section['offset'] + $section['size']; $at += 24) {
                $symbol = self::fields('Vname/Cinfo/Cother/vsection/Pvalue', $elf, $at);

                if (substr($elf, $names + $symbol['name'], strlen($name) + 1) === "{$name}\0") {
                    return $symbol['value'];
                }
            }
        }

        throw UnableToRead::because("The program exports no {$name}.");
    }

    /** @return list<array<string, int>> */
    private static function sections(string $elf): array
    {
        $table = self::fields('P', $elf, 40)[1];
        $counts = self::fields('vsize/vnumber', $elf, 58);
        $sections = [];

        for ($i = 0; $i < $counts['number']; $i++) {
            $at = $table + $i * $counts['size'];
            $sections[] = self::fields('Vname/Vtype/Pflags/Paddress/Poffset/Psize/Vlink', $elf, $at);
        }

        return $sections;
    }

    /** @return array<array-key, int> */
    private static function fields(string $format, string $bytes, int $at): array
    {
        $fields = unpack($format, $bytes, $at);

        return $fields === false ? throw UnableToRead::because('The program is no ELF file of 64 bits.') : $fields;
    }
}
