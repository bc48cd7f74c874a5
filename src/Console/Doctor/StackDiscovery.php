<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Report;
use Headroom\Doctor\Status;
use Headroom\Support\TerminalText;
use Throwable;

/**
 * The parts of a stack that the checks have looked for, and which of them were found. If none was found, nothing was
 * examined.
 *
 * @internal
 *
 * @phpstan-type State 'found'|'not here'|'unknown'
 * @phpstan-type Part array{what: string, status: State, where: string, why: string, more: list<string>}
 */
final readonly class StackDiscovery
{
    private const WIDTH = 74;

    /** @param list<Part> $parts */
    private function __construct(private array $parts, private bool $isAll, private bool $isSkipped) {}

    /**
     * @param Report $diagnosis the whole one, before --ignore and --baseline
     * @param string $directory the current directory of the command
     * @param string $command the command, as the user types it
     */
    public static function in(Facts $facts, Report $diagnosis, string $directory, string $command): self
    {
        $parts = [];
        $all = self::parts($directory, $command);

        foreach ($all as $class => $part) {
            if ($facts->wasAsked($class)) {
                [$status, $why] = self::found($facts, $class);
                $parts[] = [
                    'what' => $part[0],
                    'status' => $status,
                    'where' => $part[1],
                    'why' => $why,
                    'more' => $part[2],
                ];
            }
        }

        return new self(
            $parts,
            count($parts) === count($all),
            $diagnosis->results !== [] && $diagnosis->count(Status::Skipped) === count($diagnosis->results),
        );
    }

    /** Whether no part of a stack was found. The kernel alone is not a stack. */
    public function isNothing(): bool
    {
        return $this->parts !== [] && ($this->isAll || $this->isSkipped)
            && array_filter($this->parts, static fn (array $part): bool => $part['status'] !== 'not here') === [];
    }

    /** @return list<string> */
    public function lines(): array
    {
        if (! $this->isNothing()) {
            return [];
        }

        $more = array_values(
            array_unique(array_merge(...array_map(static fn (array $part): array => $part['more'], $this->parts))),
        );

        return [
            'No part of a stack was found here. Looked for:',
            ...array_merge(...array_map(self::line(...), $this->parts)),
            'These commands would show more:',
            ...array_map(static fn (string $command): string => '    $ '.TerminalText::line($command), $more),
            '',
        ];
    }

    /**
     * @param Part $part
     * @return list<string>
     */
    private static function line(array $part): array
    {
        $text = TerminalText::line("{$part['what']}: {$part['why']}. Looked at: {$part['where']}.");

        return explode("\n", '  '.wordwrap($text, self::WIDTH, "\n    "));
    }

    /** @return list<Part> */
    public function toArray(): array
    {
        return $this->parts;
    }

    /** @return array<class-string, array{string, string, list<string>}> name, where it is looked for, commands */
    private static function parts(string $directory, string $command): array
    {
        $file = rtrim($directory, '/').'/artisan';
        $here = is_file($file) ? "{$file} is there, but it did not run this command" : "there is no {$file}";
        $where = is_file($file) ? "in {$directory}" : 'in the directory of the application';
        $artisan = "php artisan headroom:doctor   # {$where}";
        $processes = 'the processes that this user sees in /proc';
        $configured = 'the configuration of an application';

        return [
            NginxServers::class => [
                'nginx',
                $processes,
                ["sudo {$command}   # on the machine, or in the container, where it runs"],
            ],
            FpmPools::class => [
                'PHP-FPM',
                $processes,
                ["{$command} --fpm=/run/php/php-fpm.sock   # or host:port of a pool elsewhere"],
            ],
            RedisServers::class => ['Redis', $configured, [$artisan, "{$command} --redis=127.0.0.1:6379"]],
            DatabaseServer::class => [
                'SQL server',
                $configured,
                [$artisan, "{$command} --database=mysql://user@host/database   # or pgsql://"],
            ],
            Application::class => [
                'Laravel application',
                $here,
                [$artisan, "{$command} --url=http://127.0.0.1/   # sends load, and shows where requests wait"],
            ],
        ];
    }

    /**
     * @param class-string $class
     * @return array{'found'|'not here'|'unknown', string}
     */
    private static function found(Facts $facts, string $class): array
    {
        try {
            $facts->get($class);

            return ['found', ''];
        } catch (NotApplicable $e) {
            return ['not here', $e->getMessage()];
        } catch (Throwable $e) {
            return ['unknown', $e->getMessage()];
        }
    }
}
