<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

/**
 * How an nginx was started, as far as its configuration depends on it. nginx joins its arguments with blanks when it
 * sets its title, so that an argument with a blank before a dash in it is read as two.
 *
 * @internal
 */
final readonly class NginxCommandLine
{
    /**
     * @param ?string $config what -c names
     * @param ?string $prefix what -p names
     * @param ?string $globals what -g says: directives that stand before the configuration
     */
    public function __construct(
        public string $program,
        public ?string $config = null,
        public ?string $prefix = null,
        public ?string $globals = null,
    ) {}

    public static function fromTitle(string $line): self
    {
        // Options may be written together with their argument: -c/etc/nginx.conf.
        preg_match_all('/ -(?<option>[cpge]) ?(?<argument>.+?)(?= -[cpgeq]| *\z)/s', $line, $found, PREG_SET_ORDER);
        $options = array_column($found, 'argument', 'option');

        return new self(
            substr($line, 0, strcspn($line, ' ')),
            $options['c'] ?? null,
            $options['p'] ?? null,
            $options['g'] ?? null,
        );
    }

    /** @return list<string> to start a program that is to see the same configuration */
    public function options(): array
    {
        return [
            ...($this->prefix === null ? [] : ['-p', $this->prefix]),
            ...($this->config === null ? [] : ['-c', $this->config]),
            ...($this->globals === null ? [] : ['-g', $this->globals]),
        ];
    }
}
