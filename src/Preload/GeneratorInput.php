<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * The requests that a list is generated from: samples of users' requests, and pages that are named.
 *
 * @internal
 */
final readonly class GeneratorInput
{
    /**
     * @param ObservedRequests $samples of users' requests
     * @param list<Page> $named all classes that they use are requested
     * @param list<Page> $logged pages of an access log, with their weights
     */
    public function __construct(
        public ObservedRequests $samples = new ObservedRequests,
        public array $named = [],
        public array $logged = [],
    ) {}

    /** @return list<Page> the pages to request, named ones first, each once */
    public function pages(): array
    {
        $pages = [];

        foreach ([...$this->named, ...$this->logged, ...$this->samples->pages] as $page) {
            $pages["{$page->name()}\n{$page->contentType}\n{$page->body}"] ??= $page;
        }

        return array_values($pages);
    }
}
