<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Symfony\Component\Console\Input\InputDefinition;
use Symfony\Component\Console\Input\InputInterface;

/**
 * The assignment of one process of `load --processes`: the same command line, and its share of the load.
 *
 * @internal
 */
final readonly class WorkerAssignment
{
    public int $index;

    public int $processes;

    /** @var array<string, mixed> in the format of ArrayInput */
    public array $input;

    /** @param array<array-key, mixed> $content as content() made it */
    public function __construct(array $content)
    {
        $this->index = is_int($content['index'] ?? null) ? $content['index'] : 0;
        $this->processes = is_int($content['processes'] ?? null) ? $content['processes'] : 1;
        $input = [];

        foreach (is_array($content['input'] ?? null) ? $content['input'] : [] as $name => $value) {
            $input[(string) $name] = self::unpacked($value);
        }

        $this->input = $input;
    }

    /**
     * @param InputDefinition $definition of the command, without the options of every command
     * @return list<array<string, mixed>> one for each process
     */
    public static function contents(InputInterface $input, InputDefinition $definition, int $processes): array
    {
        $given = ['url' => self::packed($input->getArgument('url'))];

        foreach (array_intersect_key($input->getOptions(), $definition->getOptions()) as $name => $value) {
            if ($value !== null && $value !== false && $value !== []) {
                $given["--{$name}"] = self::packed($value);
            }
        }

        return array_map(
            static fn (int $index): array => ['index' => $index, 'processes' => $processes, 'input' => $given],
            range(0, $processes - 1),
        );
    }

    /** A body may contain any bytes, which JSON cannot represent. */
    private static function packed(mixed $value): mixed
    {
        return is_array($value)
            ? array_map(self::packed(...), $value)
            : (is_string($value) ? base64_encode($value) : $value);
    }

    private static function unpacked(mixed $value): mixed
    {
        return is_array($value)
            ? array_map(self::unpacked(...), $value)
            : (is_string($value) ? (string) base64_decode($value, true) : $value);
    }
}
