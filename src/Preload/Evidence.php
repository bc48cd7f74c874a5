<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * What a list is made of: requests of users that were sampled, and those that somebody names.
 *
 * @internal
 */
final readonly class Evidence
{
    /**
     * @param ObservedRequests $samples of users' requests
     * @param list<Page> $named whatever they use is wanted
     * @param list<Page> $logged by their weights
     */
    public function __construct(
        public ObservedRequests $samples = new ObservedRequests,
        public array $named = [],
        public array $logged = [],
    ) {}

    /** @return list<Page> that are asked, named ones first, each once */
    public function pages(): array
    {
        $pages = [];

        foreach ([...$this->named, ...$this->logged, ...$this->samples->pages] as $page) {
            $pages["{$page->name()}\n{$page->contentType}\n{$page->body}"] ??= $page;
        }

        return array_values($pages);
    }
}
