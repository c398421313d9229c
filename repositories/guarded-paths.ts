import picomatch from 'picomatch'

/** Why a path may be written only if one of the globs allows it; undefined if it may or one does. */
export function guardProblem(path: string, allow: readonly string[]): string | undefined {
  // Lower case, because some file systems ignore case.
  const seen = path.normalize('NFKC').toLowerCase()
  const guard =
    GUARDS.find(({ matches }) => matches(seen))?.what ?? (isWritableKind(seen) ? undefined : OTHER_KIND)
  if (guard === undefined) return undefined
  if (allow.length > 0 && picomatch([...allow], { dot: true })(path)) return undefined
  return `it is ${guard}, written only where --allow names it`
}

const OTHER_KIND = 'neither a page, a source, a style nor an asset'

/** Pages, sources, styles, images, fonts, and texts in the languages of a site. */
const WRITABLE_KINDS = [
  '**/*.{html,htm,vue,svelte}',
  '**/*.{js,mjs,ts,mts,jsx,tsx}',
  '**/*.{css,scss,sass,less}',
  '**/*.{svg,png,jpg,jpeg,gif,webp,avif,ico,bmp}',
  '**/*.{woff,woff2,ttf,otf,eot}',
  '**/{locale,locales,lang,langs,languages,i18n,intl,translations,messages}/**/*.json',
  '**/{translation,translations,messages}.json',
]
const isWritableKind = picomatch(WRITABLE_KINDS, { dot: true })

/**
 * Code in folders of programs that run at a build, a test or a deployment: at the root and in each package.
 */
function programs(folders: string): string {
  return `{,{packages,apps,libs,sites,services}/*/}{${folders}}/**/*.{js,mjs,ts,mts,jsx,tsx}`
}

/** A description for people, and globs of the whole lower-case path. The first match is told. */
const GUARDED: readonly (readonly [what: string, globs: string])[] = [
  [
    'CI configuration',
    `**/.github/** **/.gitlab/** **/.gitlab-ci* **/.circleci/** **/.buildkite/**
    **/.drone.{yml,yaml,star,jsonnet} **/.woodpecker{.yml,.yaml,/**} **/.travis.{yml,yaml}
    **/.appveyor.{yml,yaml} **/appveyor.{yml,yaml} **/azure-pipelines*.{yml,yaml} **/.azure-pipelines/**
    **/bitbucket-pipelines.{yml,yaml} **/jenkinsfile* **/*.jenkinsfile **/.teamcity/** **/.semaphore/**
    **/.forgejo/** **/.gitea/** **/.cirrus.{yml,yaml,star} **/cloudbuild.{yml,yaml,json}
    **/buildspec.{yml,yaml} **/codefresh.{yml,yaml} **/.tekton/** **/.earthly/** **/earthfile **/dagger.json`,
  ],
  [
    'a hook',
    `**/.husky/** **/.githooks/** **/githooks/**
    **/hooks/{pre,post}-{commit,push,merge,checkout,rewrite,receive,update,rebase,applypatch,auto-gc}{,.*}
    **/hooks/{commit-msg,prepare-commit-msg,applypatch-msg,update,reference-transaction,fsmonitor-watchman}{,.*}
    **/.huskyrc* **/{.,}lefthook{,-local}.{yml,yaml,toml,json} **/.lefthook/**
    **/.pre-commit-config.{yml,yaml} **/.pre-commit-hooks.{yml,yaml} **/{.,}simple-git-hooks*
    **/.overcommit.yml`,
  ],
  [
    'a lockfile',
    `**/package-lock.json **/npm-shrinkwrap.json **/yarn.lock **/pnpm-lock.{yml,yaml} **/bun.lock{,b}
    **/deno.lock **/composer.lock **/gemfile.lock **/cargo.lock **/poetry.lock **/uv.lock **/pdm.lock
    **/pipfile.lock **/go.sum **/go.work.sum **/mix.lock **/pubspec.lock **/packages.lock.json
    **/podfile.lock **/flake.lock **/gradle.lockfile **/package.resolved`,
  ],
  [
    'a package manifest',
    `**/package.json **/package.json5 **/package.{yml,yaml} **/.npmrc **/.yarnrc* **/.yarn/**
    **/.pnpmfile.{cjs,mjs,js} **/pnpm-workspace.{yml,yaml} **/bunfig.toml **/deno.json{,c} **/jsr.json
    **/lerna.json **/composer.json **/gemfile **/*.gemspec **/cargo.toml **/.cargo/** **/pyproject.toml
    **/setup.{py,cfg} **/requirements*.txt **/pipfile **/go.mod **/go.work **/mix.exs **/pubspec.{yml,yaml}
    **/pom.xml **/build.gradle{,.kts} **/settings.gradle{,.kts} **/*.csproj **/nuget.config **/podfile
    **/package.swift`,
  ],
  ["one of git's or its hosts' files", `**/.git* **/.git*/**`],
  ["a list of the repository's owners", `**/codeowners **/owners`],
  ['a file of the environment', `**/.env* **/.env*/** **/*.env **/*.env.* **/.envrc`],
  [
    'a deployment file',
    `**/{docker,container}file* **/*.dockerfile **/docker-compose* **/compose*.{yml,yaml} **/.dockerignore
    **/procfile*
    **/{vercel,now,netlify,firebase,app,apprunner,amplify,fly,render,railway,wrangler,heroku,serverless}.{json,jsonc,toml,yml,yaml}
    **/{_headers,_redirects,_worker.js,_routes.json} **/chart.{yml,yaml} **/*.{tf,tfvars,hcl,bicep}
    ${programs('deploy,deployment,infra,infrastructure,terraform,cdk,pulumi,k8s,kubernetes,helm,docker,ansible,nomad,packer')}
    **/{ecosystem,pm2,serverless,wrangler,alchemy.run,sst,cdk}.{js,mjs,ts}
    ${programs('migrations,seeds,netlify,supabase,amplify,functions,edge-functions,lambda,lambdas,sst,ci,dagger')}
    **/{db,database,drizzle,prisma,sequelize,typeorm}/**/{migrations,migrate,seeds,seeders}/**`,
  ],
  [
    'build or test configuration',
    `**/*.{config,conf,setup,rc}.* {config,conf}.{js,ts} *{-,_}{config,setup,build}.{js,ts}
    **/{webpack,rollup,vite,vitest,babel,jest,karma,esbuild,eslint,prettier,postcss,tailwind}{,[.-]*}.{js,mjs,ts,mts,json}
    **/{gulpfile,gruntfile,jakefile,dangerfile,snowpack,wdio,protractor,nightwatch,playwright}{,[.-]*}.*
    **/{setuptests,setup-tests,test-setup,globalsetup,globalteardown}.{js,mjs,ts,mts,jsx,tsx}
    **/{tsconfig,jsconfig,angular,nx,turbo,project,workspace,rush,babel,biome}{,.*}.json
    **/{gatsby-node,gatsby-config,config-overrides,knexfile,plopfile,testem,codegen,setupproxy,instrumentation,jestsetup}.*
    **/eslint{,-*}/** **/webpack/** **/vite/**
    **/{makefile,justfile,rakefile,taskfile,vagrantfile,cmakelists.txt}*`,
  ],
  [
    'code of a server or worker, which no visitor sees',
    `**/{middleware,proxy,hooks.server,hooks.client}.{js,mjs,ts,mts} **/*.server.{js,mjs,ts,mts}
    **/+server.{js,ts} **/app/**/route.{js,ts,mjs} **/{pages,app,routes,server}/api/**/*.{js,ts,mjs}
    **/{sw,service-worker,serviceworker,ngsw-worker,*-sw,*.worker}.{js,mjs,ts}
    ${programs('api,server,worker,workers,cron,queue,electron')}`,
  ],
  [
    'a test',
    `**/*.{test,spec,e2e,cy,stories}.* **/__{tests,mocks,snapshots}__/**
    ${programs('test,tests,spec,specs,e2e,cypress,playwright,stories,storybook')}`,
  ],
  [
    'a script',
    `${programs('script,scripts,bin,tool,tools,tasks,gulp,grunt,build,builder,build-tools,actions,fastlane,git-hooks,hygen,_templates,plop-templates,turbo')} *.{mjs,mts}
    {,{packages,apps,libs,sites,services}/*/}{,pre,post}{build,make,deploy,release,publish,install,test,setup,prepare,ci,seed,env}.{js,mjs,ts,mts}
    {frontend,client}/scripts/** **/{prisma,db,database}/seed{,s/**,.*} **/node_modules/**`,
  ],
  ["svc's helper", `**/svc-experiments.{js,ts,d.ts}`],
  [
    'hidden, or in a hidden folder',
    `**/.!(vitepress|vuepress) **/.!(vitepress|vuepress)/** **/.{vitepress,vuepress}/{*,config/**}`,
  ],
]

const GUARDS = GUARDED.map(([what, globs]) => ({
  what,
  matches: picomatch(globs.split(/\s+/), { dot: true }),
}))
