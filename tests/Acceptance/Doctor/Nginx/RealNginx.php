<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Nginx;

use Headroom\Doctor\Nginx\NginxOutput;
use Headroom\Doctor\Nginx\ProcessCommandRunner;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;

/**
 * Asks the nginx of this machine what it thinks of a configuration.
 */
final readonly class RealNginx
{
    private const SYNTAX = '/unexpected "|unexpected end of|too long parameter|is not terminated by|has no opening|invalid number of (the map )?(arguments|parameters)|directive is not allowed here/';

    public function __construct(public TemporaryDirectory $directory) {}

    public function test(string $text): NginxOutput
    {
        return (new ProcessCommandRunner)->run([...$this->command($text), '-t']);
    }

    public function dump(string $text): NginxOutput
    {
        return (new ProcessCommandRunner)->run([...$this->command($text), '-T']);
    }

    /** Null if it stopped at the meaning of a directive, so that its opinion of the rest is unknown. */
    public static function parses(NginxOutput $printed): ?bool
    {
        return match (true) {
            $printed->exitCode === 0 => true,
            preg_match(self::SYNTAX, $printed->errors) === 1 => false,
            default => null,
        };
    }

    /** @return non-empty-list<string> */
    private function command(string $text): array
    {
        return [
            Programs::nginx(),
            '-e',
            $this->directory->file('error.log'),
            '-p',
            $this->directory->path,
            '-c',
            $this->directory->write('nginx.conf', $text),
        ];
    }
}
